import { z } from "zod";
import { type BackupReads, UnclearError } from "./calls.ts";
import { LineCutter, type LineMark, markOf, type WholeLines, withoutFirst } from "./log-lines.ts";
import type { BackupFile, PartFolder } from "./part-folder.ts";
import type { LedgerPart } from "./part-list.ts";
import { withPatience } from "./patience.ts";
import { LEDGERS_PATH, type ListedLedger } from "./saved-ledgers.ts";
import { OperatorError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

/** The entries of a ledger that are read, and the folder of their files. */
export interface PartSave {
  readonly reads: BackupReads;
  readonly ledger: ListedLedger;
  readonly folder: PartFolder;
  /** Entries, and bytes of text, after which a part ends with its answer. */
  readonly partMax: { readonly entries: number; readonly bytes: number };
}

/** The error of a log that is another one than the one that was saved. */
export class NotContinuedError extends OperatorError {
  override name = "NotContinuedError";

  constructor(ledger: string, logId: number) {
    super(
      `The log of the ledger '${ledger}' does not continue the one that was saved up to entry ${logId}: the server was perhaps restored from an earlier state. Save it into another folder.`,
    );
  }
}

/**
 * Reads the next entries behind a part, or from the beginning, up to the last one of `ledger` or until the part is full. The names of the files
 * end with `ending`. Throws `NotContinuedError` where the log does not go on from the part.
 */
export async function savePart(
  save: PartSave,
  before: LedgerPart | undefined,
  ending = "",
): Promise<LedgerPart> {
  const log = save.folder.begin("log.partial");
  const origins = save.folder.begin("origins.partial");
  try {
    const { first, last, entries } = await writeLog(save, before, log);
    const facts = await writeOrigins(save, { after: first - 1, to: last.id }, origins);
    const range = `${first}-${last.id}.jsonl.gz${ending}`;
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
  readonly bytes: number;
}

/** Writes the entries of a part. An answer that breaks off is asked for again, from the last whole line on. */
async function writeLog(
  save: PartSave,
  before: LedgerPart | undefined,
  writer: BackupFile,
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
      bytes: (written?.bytes ?? 0) + lines.bytes.length,
    };
  };
  const isComplete = (): boolean =>
    written !== undefined &&
    (written.last.id >= lastLogId ||
      written.entries >= save.partMax.entries ||
      written.bytes >= save.partMax.bytes);
  while (!isComplete()) {
    await withPatience(() => readLog(save, written?.last ?? before, take), {
      hasGoneOn,
      waitsMs: save.reads.waitsMs,
    });
  }
  // `isComplete` is true only once lines were written.
  return written as unknown as Progress;
}

/**
 * Reads an answer with the entries behind a known one, whose line comes first, so that it can be compared. Throws `NotContinuedError` where it
 * is another one.
 */
export async function readLog(
  { reads, ledger }: Pick<PartSave, "reads" | "ledger">,
  known: LineMark | LedgerPart | undefined,
  take: (lines: WholeLines) => Promise<void>,
): Promise<void> {
  const place = known === undefined ? undefined : placeOf(known);
  const { body }: { body: ReadableStream<Uint8Array> | null } = await reads.send({
    method: "GET",
    path: `${LEDGERS_PATH}/${ledger.uuid}/log`,
    query: { after: String((place?.id ?? 0) - 1), to: String(ledger.lastLogId) },
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
        throw new NotContinuedError(ledger.name, place.id);
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
  { reads, ledger }: PartSave,
  { after, to }: { readonly after: number; readonly to: number },
  writer: BackupFile,
): Promise<number> {
  let count = 0;
  for (let end = after; end < to;) {
    const query = { after: String(end), to: String(to) };
    const path = `${LEDGERS_PATH}/${ledger.uuid}/origins`;
    const { data } = await withPatience(
      () => reads.call({ method: "GET", path, query, answer: Origins }),
      reads,
    );
    const { authors, causes, notes } = data;
    const facts = [...authors, ...causes, ...notes];
    for (const fact of facts) await writer.write(`${stringifyJson(fact)}\n`);
    count += facts.length;
    end = data.upTo;
  }
  return count;
}
