import { mkdirSync } from "node:fs";
import { z } from "zod";
import { appendPart, type LedgerPart, readParts, removeLeftovers } from "./ledger-parts.ts";
import { LineCutter, type LineMark, markOf, type WholeLines, withoutFirst } from "./log-lines.ts";
import { LEDGERS_PATH, type ListedLedger } from "./saved-ledgers.ts";
import { stringifyJson } from "#platform/json.ts";
import { FileWriter } from "#scripts/florin/backup/file-writer.ts";
import { withPatience } from "#scripts/florin/backup/patience.ts";
import { type Api, UnclearError } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** A ledger that is saved, and where. */
interface LedgerSave {
  readonly api: Api;
  readonly backup: string;
  readonly ledger: ListedLedger;
  readonly folder: string;
  /** Entries after which a part ends with its answer. */
  readonly partEntries: number;
  /** Told of each part that is complete. */
  readonly onPart: (part: LedgerPart) => void;
}

/**
 * Saves the entries of a ledger that its folder does not have yet, up to the last one of `ledger`, and returns all parts. Throws
 * `OperatorError` where the log does not continue what was saved.
 */
export async function saveLedger(save: LedgerSave): Promise<LedgerPart[]> {
  const { folder, ledger } = save;
  const parts = readParts(folder);
  removeLeftovers(folder);
  const last = parts.at(-1);
  // Where there is more to read, the entry at the end of the last part is read and compared with it.
  if (last !== undefined && ledger.lastLogId <= last.to) await assertContinues(save);
  const upTo = (): number => parts.at(-1)?.to ?? -1;
  if (upTo() < ledger.lastLogId) mkdirSync(folder, { recursive: true, mode: 0o700 });
  while (upTo() < ledger.lastLogId) {
    const part = await savePart(save, parts.at(-1));
    appendPart(folder, part);
    parts.push(part);
    save.onPart(part);
  }
  return parts;
}

/**
 * Throws `OperatorError` where the server's log is shorter than what was saved, or has another entry at its end. Nothing is written. A log
 * without hashes, and one that has grown, is asked for the entry.
 */
export async function assertContinues(
  save: Pick<LedgerSave, "api" | "backup" | "ledger" | "folder">,
): Promise<void> {
  const { ledger, folder } = save;
  const last = readParts(folder).at(-1);
  if (last === undefined) return;
  const isSame = ledger.lastLogId === last.to && ledger.lastHash === last.lastHash;
  if (isSame && last.lastHash !== "") return;
  const isOther = ledger.lastLogId === last.to && !isSame;
  if (ledger.lastLogId < last.to || isOther) throw notContinued(ledger.name, last.to);
  const asSaved = { ...save, ledger: { ...ledger, lastLogId: last.to } };
  await withPatience(() => readLog(asSaved, last, async () => undefined));
}

const notContinued = (name: string, logId: number): OperatorError =>
  new OperatorError(
    `The log of the ledger '${name}' does not continue the one that was saved up to entry ${logId}: the server was perhaps restored from an earlier state. Save it into another folder.`,
  );

async function savePart(save: LedgerSave, before: LedgerPart | undefined): Promise<LedgerPart> {
  const log = new FileWriter(save.folder, "log.partial");
  const origins = new FileWriter(save.folder, "origins.partial");
  try {
    const { first, last, entries } = await writeLog(save, before, log);
    const facts = await writeOrigins(save, { after: first - 1, to: last.id }, origins);
    const range = `${first}-${last.id}.jsonl.gz`;
    return {
      format: 1,
      from: first,
      to: last.id,
      entries,
      lastHash: last.hash,
      lastLine: last.line,
      log: await log.close(`log-${range}`),
      origins: { ...(await origins.close(`origins-${range}`)), facts },
    };
  } finally {
    log.destroy();
    origins.destroy();
  }
}

/** How far a part has come. */
interface Progress {
  readonly first: number;
  readonly last: LineMark;
  readonly entries: number;
}

/** Writes the entries of a part. An answer that breaks off is asked for again, from the last whole line on. */
async function writeLog(
  save: LedgerSave,
  before: LedgerPart | undefined,
  writer: FileWriter,
): Promise<Progress> {
  const { lastLogId } = save.ledger;
  let written: Progress | undefined;
  let tried: Progress | undefined;
  const hasGoneOn = (): boolean => {
    const goesOn = written !== tried;
    tried = written;
    return goesOn;
  };
  const take = async (lines: WholeLines): Promise<void> => {
    await writer.write(lines.bytes);
    written = {
      first: written?.first ?? markOf(lines.first).id,
      last: markOf(lines.last),
      entries: (written?.entries ?? 0) + lines.count,
    };
  };
  const isComplete = (): boolean =>
    written !== undefined && (written.last.id >= lastLogId || written.entries >= save.partEntries);
  while (!isComplete()) {
    await withPatience(() => readLog(save, written?.last ?? before, take), hasGoneOn);
  }
  // `isComplete` is true only once lines were written.
  return written as unknown as Progress;
}

/**
 * Reads an answer with the entries behind a known one, whose line comes first, so that it can be compared. Throws `OperatorError` where it is
 * another one.
 */
async function readLog(
  { api, backup, ledger }: Pick<LedgerSave, "api" | "backup" | "ledger">,
  known: LineMark | LedgerPart | undefined,
  take: (lines: WholeLines) => Promise<void>,
): Promise<void> {
  const place = known === undefined ? undefined : placeOf(known);
  const { body }: { body: ReadableStream<Uint8Array> | null } = await api.send({
    method: "GET",
    path: `${LEDGERS_PATH}/${ledger.uuid}/log`,
    query: { backup, after: String((place?.id ?? 0) - 1), to: String(ledger.lastLogId) },
  });
  const cutter = new LineCutter();
  let isCompared = place === undefined;
  let hasLines = false;
  for await (const chunk of bytesOf(body)) {
    let lines = cutter.cut(chunk);
    if (lines === undefined) continue;
    if (!isCompared && place !== undefined) {
      const found = markOf(lines.first);
      if (found.id !== place.id || found.hash !== place.hash || found.line !== place.line) {
        throw notContinued(ledger.name, place.id);
      }
      isCompared = true;
      lines = withoutFirst(lines);
    }
    if (lines === undefined) continue;
    hasLines = true;
    await take(lines);
  }
  const isAll = hasLines || place?.id === ledger.lastLogId;
  if (!isCompared || !isAll)
    throw new UnclearError(`The server sends no more entries of the ledger '${ledger.name}'.`);
}

const placeOf = (known: LineMark | LedgerPart): LineMark =>
  "line" in known ? known : { id: known.to, hash: known.lastHash, line: known.lastLine };

/** The bytes of an answer. Throws `UnclearError` where it breaks off. */
async function* bytesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new UnclearError("The server has broken off its answer.", { cause });
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // The answer may be over, or broken.
  }
}

const Origins = z.object({
  data: z.object({
    authors: z.array(
      z.object({ from: z.int(), author: z.record(z.string(), z.string()).nullable() }),
    ),
    causes: z.array(z.object({ log: z.int(), depth: z.int() })),
    notes: z.array(z.object({ log: z.int(), notes: z.array(z.string()) })),
    upTo: z.int(),
  }),
});

/** Writes what the log does not determine of the entries of a part: a JSON line for each fact. Returns the number of facts. */
async function writeOrigins(
  { api, backup, ledger }: LedgerSave,
  { after, to }: { readonly after: number; readonly to: number },
  writer: FileWriter,
): Promise<number> {
  let count = 0;
  for (let end = after; end < to;) {
    const query = { backup, after: String(end), to: String(to) };
    const path = `${LEDGERS_PATH}/${ledger.uuid}/origins`;
    const { data } = await withPatience(() =>
      api.call({ method: "GET", path, query, answer: Origins }),
    );
    const { authors, causes, notes } = data;
    const facts = [...authors, ...causes, ...notes];
    for (const fact of facts) await writer.write(`${stringifyJson(fact)}\n`);
    count += facts.length;
    end = data.upTo;
  }
  return count;
}
