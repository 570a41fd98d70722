import { createReadStream, createWriteStream, existsSync, renameSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { fileOption } from "#scripts/florin/api/input.ts";
import { pathOf } from "#scripts/florin/api/paths.ts";
import { type Call, type Result, UsageError, type Verb } from "#scripts/florin/command.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** Writes the log of a ledger, one entry in each line, as `importLog` reads it. */
export const exportLog: Verb = {
  summary: "Prints the log of a ledger, an entry in each line, as `ledgers import` reads it",
  parameters: ["ledger"],
  options: { to: { kind: "text", meaning: "a new file, in place of the standard output" } },
  run: async (call): Promise<Result> => {
    const path = pathOf("/api/ledger/v2/{ledger}/logs/export", call);
    const file = call.text("to");
    if (file !== undefined && existsSync(file)) {
      throw new OperatorError(`The file ${file} is already there. Name a new one with --to.`);
    }
    const api = await call.connect(["ledger:read"]);
    const { body }: { body: ReadableStream<Uint8Array> | null } = await api.send({
      method: "POST",
      path,
    });
    if (body === null) throw new OperatorError("The server sends no log.");
    if (file === undefined) return { kind: "lines", lines: linesOf(body) };
    // A broken export leaves no file of that name.
    await pipeline(bytesOf(body), createWriteStream(`${file}.part`));
    renameSync(`${file}.part`, file);
    return { data: { file }, lines: [`The log of ${call.parameter("ledger")} is in ${file}.`] };
  },
};

/** The bytes of an answer. Throws `OperatorError` where the answer breaks off. */
async function* bytesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new OperatorError("The export has broken off. Export again.", { cause });
    });
    if (done) return;
    yield value;
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of bytesOf(body)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** A body of a request that is read as it is sent. */
function bodyOf(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const chunk = await chunks.next();
      if (chunk.done === true) controller.close();
      else controller.enqueue(chunk.value);
    },
  });
}

/** Fills an empty ledger from the log of another one. */
export const importLog: Verb = {
  summary: "Fills an empty ledger from the log that `ledgers export` has printed",
  parameters: ["ledger"],
  options: { from: fileOption("the file of the log") },
  run: async (call: Call): Promise<Result> => {
    const path = pathOf("/api/ledger/v2/{ledger}/logs/import", call);
    const file = call.text("from");
    if (file === undefined) throw new UsageError("--from names the file of the log.");
    if (file !== "-" && !existsSync(file)) {
      throw new OperatorError(`The file ${file} cannot be read: ENOENT.`);
    }
    const api = await call.connect(["ledger:write"]);
    const body = bodyOf(file === "-" ? process.stdin : createReadStream(file));
    await api.send({ method: "POST", path, contentType: "application/octet-stream", body });
    return { data: {}, lines: [`The log is imported into ${call.parameter("ledger")}.`] };
  },
};
