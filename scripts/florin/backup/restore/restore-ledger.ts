import { join } from "node:path";
import { z } from "zod";
import type { Restoring } from "./restore-database.ts";
import type { SnapshotLedger } from "#platform/backup/saving/backup-manifest.ts";
import { markOf } from "#platform/backup/saving/log-lines.ts";
import { sleep, withPatience } from "#platform/backup/saving/patience.ts";
import { parseJson } from "#platform/json.ts";
import { problemOf } from "#scripts/florin/backup/file-hash.ts";
import {
  hashOfParts,
  type LedgerPart,
  readParts,
} from "#scripts/florin/backup/ledgers/ledger-parts.ts";
import { linesOf } from "#scripts/florin/backup/saved-lines.ts";
import { RefusedCall } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** Characters of entries, facts, and characters of facts, after which a request ends. */
const LOG_CHARACTERS = 4_000_000;
const FACTS = 2000;
const FACT_CHARACTERS = 1_000_000;

/** Waits while another request writes the same log, in milliseconds: one whose answer was lost goes on for a while. */
const CONFLICT_WAITS_MS = [1000, 2000, 5000, 10_000, 20_000];
const CONFLICT = 409;

const Progress = z.object({ data: z.object({ lastLogId: z.int(), complete: z.boolean() }) });
const Head = z.object({ data: z.object({ lastLogId: z.int(), lastHash: z.string() }) });

const Fact = z.union([
  z.strictObject({ from: z.int(), author: z.record(z.string(), z.string()).nullable() }),
  z.strictObject({ log: z.int(), depth: z.int() }),
  z.strictObject({ log: z.int(), notes: z.array(z.string()) }),
]);
type Fact = z.output<typeof Fact>;

/** A ledger that is restored, and its folder. */
interface LedgerRestore {
  readonly folder: string;
  readonly ledger: Omit<SnapshotLedger, "bucket" | "features" | "entries">;
}

/**
 * Brings a ledger back: the entries behind those that the server has, then what the log does not determine, then its end, which the server
 * compares; nothing if it is back already. Each file is compared with its description before it is read. Throws `OperatorError`.
 */
export async function restoreLedger(restoring: Restoring, wanted: LedgerRestore): Promise<void> {
  const { folder, ledger } = wanted;
  const { api } = restoring;
  const path = `${restoring.path}/ledgers/${ledger.uuid}`;
  if (hashOfParts(folder, ledger.parts) !== ledger.partsSha256) {
    throw new OperatorError(`The list of parts of the ledger '${ledger.name}' was changed.`);
  }
  const parts = readParts(folder, ledger.parts);
  const readProgress = async () =>
    (await withPatience(() => api.call({ method: "GET", path, answer: Progress }))).data;
  const begun = await readProgress();
  if (begun.complete) return;
  let { lastLogId } = begun;
  for (const part of parts.filter(({ to }) => to > lastLogId)) {
    await assertUnchanged(wanted, part.log);
    for await (const text of textsOf(join(folder, part.log.file), lastLogId)) {
      await whileOthersWrite(async () => {
        const { lastLogId: after } = await readProgress();
        const body = behind(text, after);
        if (body === "") return;
        const contentType = "application/octet-stream";
        const query = { after: String(after) };
        await api.send({ method: "POST", path: `${path}/log`, query, contentType, body });
      });
    }
    lastLogId = part.to;
    if (part !== parts.at(-1)) restoring.note(`  up to entry ${part.to}, ${ledger.name}`);
  }
  for (const part of parts) await restoreOrigins(restoring, { ...wanted, part });
  const { lastHash, publishedLogId, importedLogId } = ledger;
  const body = {
    lastLogId: ledger.lastLogId,
    lastHash,
    publishedLogId,
    ...(importedLogId === undefined ? {} : { importedLogId }),
  };
  await withPatience(() => api.call({ method: "POST", path: `${path}/end`, body, answer: Head }));
}

/** Does something with patience, and again while another request writes the same log. */
async function whileOthersWrite(write: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await withPatience(write);
      return;
    } catch (error) {
      const waitMs = CONFLICT_WAITS_MS[tries];
      const isConflict = error instanceof RefusedCall && error.status === CONFLICT;
      if (!isConflict || waitMs === undefined) throw error;
      await sleep(waitMs);
    }
  }
}

async function assertUnchanged(
  { folder, ledger }: LedgerRestore,
  file: LedgerPart["log"],
): Promise<void> {
  const problem = await problemOf(join(folder, file.file), file);
  if (problem !== undefined) throw new OperatorError(`The ledger '${ledger.name}': ${problem}`);
}

/** The lines of a file behind an entry, in texts for a request each. */
async function* textsOf(path: string, after: number): AsyncGenerator<string, undefined> {
  let lines: string[] = [];
  let length = 0;
  for await (const line of linesOf(path)) {
    if (after >= 0 && markOf(line).id <= after) continue;
    lines.push(`${line}\n`);
    length += line.length;
    if (length < LOG_CHARACTERS) continue;
    yield lines.join("");
    [lines, length] = [[], 0];
  }
  if (lines.length > 0) yield lines.join("");
}

/** The lines of a text behind an entry, which the server has taken from an earlier request whose answer was lost. */
function behind(text: string, logId: number): string {
  if (logId < 0) return text;
  const lines = text.split("\n").slice(0, -1);
  const first = lines.findIndex((line) => markOf(line).id > logId);
  if (first === -1) return "";
  return first === 0 ? text : `${lines.slice(first).join("\n")}\n`;
}

async function restoreOrigins(
  { api, path }: Restoring,
  { folder, ledger, part }: LedgerRestore & { readonly part: LedgerPart },
): Promise<void> {
  await assertUnchanged({ folder, ledger }, part.origins);
  const send = async (facts: readonly Fact[]): Promise<void> => {
    if (facts.length === 0) return;
    const body = {
      authors: facts.filter((fact) => "author" in fact),
      causes: facts.filter((fact) => "depth" in fact),
      notes: facts.filter((fact) => "notes" in fact),
    };
    await withPatience(() =>
      api.call({
        method: "POST",
        path: `${path}/ledgers/${ledger.uuid}/origins`,
        body,
        answer: Head,
      }),
    );
  };
  let facts: Fact[] = [];
  let characters = 0;
  for await (const line of linesOf(join(folder, part.origins.file))) {
    facts.push(Fact.parse(parseJson(line)));
    characters += line.length;
    if (facts.length < FACTS && characters < FACT_CHARACTERS) continue;
    await send(facts);
    [facts, characters] = [[], 0];
  }
  await send(facts);
}
