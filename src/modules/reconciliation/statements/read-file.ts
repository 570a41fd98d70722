import { type FileLine, RAW_LENGTH_MAX } from "./line.ts";
import { FileRefused, type ReadFile, type ReadingOptions, type Verdict } from "./reading.ts";
import type { StatementRefusal } from "./refusal.ts";
import { accountKeyOf, type Head } from "./statement.ts";
import { dayOf } from "#modules/reconciliation/core/matching/days.ts";
import {
  DETECTED_BYTES,
  detectFormat,
  FILE_START,
  readStatement,
  type StatementEnd,
  StatementError,
  type StatementFormat,
  type StatementLine,
} from "#modules/reconciliation/core/statements/index.ts";
import { present } from "#platform/assert.ts";

/** Most statements in one file. Each of them is a row of D1. */
export const HEADS_MAX = 1000;

/** A line before it has a key. */
export type UnstoredLine = Omit<FileLine, "key" | "statementID">;

/** Where the lines of a file go, and the decimals of currencies. */
export interface FileSink {
  /** Takes a line. What it returns is waited for: lines are stored in batches, between which others have their turn. */
  readonly add: (line: UnstoredLine) => Promise<void> | undefined;
  readonly decimalsOf: (currency: string) => number | undefined;
}

/**
 * Reads a file from its first bytes on: recognises the format, gives its lines to the sink, and collects the heads. Memory does not grow with
 * the number of lines. A refusal is a verdict; errors of the bytes' source and of the sink are thrown.
 */
export async function readFile(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
  sink: FileSink,
): Promise<Verdict> {
  const { first, all } = await withBeginning(chunks);
  const formats = formatsOf(first, options);
  const [format] = formats;
  try {
    if (formats.length > 1) throw new FileRefused(ambiguous(formats));
    const heads: Head[] = [];
    const { decimalsOf, add } = sink;
    const reading = { decimalsOf, ...readerOptions(options) };
    for await (const event of readStatement(format ?? ANY_FORMAT, reading, all)) {
      if (format === undefined) throw new FileRefused(UNKNOWN_FORMAT);
      if (event.type === "line") await add(toNewLine(event.line));
      else if (event.type === "end") heads.push(checkedHead(event.end, options, heads.length));
    }
    if (format === undefined) throw new FileRefused(UNKNOWN_FORMAT);
    return { isRead: true, ...totalsOf(format, heads) };
  } catch (error) {
    if (error instanceof FileRefused) return { isRead: false, format, refusal: error.refusal };
    if (!(error instanceof StatementError)) throw error;
    return { isRead: false, format, refusal: refusalOf(error, format) };
  } finally {
    await all.return(undefined);
  }
}

/** The format in which a file of no known one is begun to be read: any reader says of an empty file and of an archive what they are. */
const ANY_FORMAT: StatementFormat = "json-lines";
const OF_ANY_FORMAT = new Set(["EMPTY", "COMPRESSED", "UNSUPPORTED"]);

const UNKNOWN_FORMAT: StatementRefusal = {
  kind: "UNSUPPORTED",
  message: "The beginning of the file fits no format; set the format of the source.",
  ...FILE_START,
};

const ambiguous = (formats: readonly StatementFormat[]): StatementRefusal => ({
  kind: "UNSUPPORTED",
  message: `The file may be ${formats.join(" or ")}; set the format of the source.`,
  ...FILE_START,
});

function refusalOf(
  { kind, message, line, column, byte }: StatementError,
  format: StatementFormat | undefined,
): StatementRefusal {
  if (format === undefined && !OF_ANY_FORMAT.has(kind)) return UNKNOWN_FORMAT;
  return { kind, message, line, column, byte };
}

const totalsOf = (format: StatementFormat, heads: readonly Head[]): ReadFile => ({
  format,
  heads,
  lines: heads.reduce((sum, { lines }) => sum + lines, 0),
  pending: heads.reduce((sum, { pending }) => sum + pending, 0),
});

/** The options of the reader, without members that are undefined. */
const readerOptions = ({ mapping, encoding, decimals }: ReadingOptions) => ({
  ...(mapping === undefined ? {} : { mapping }),
  ...(encoding === undefined ? {} : { encoding }),
  ...(decimals === undefined ? {} : { decimals }),
});

/** The formats that a file may have: that of the source, or those that its beginning fits. */
function formatsOf(first: Uint8Array, { format, mapping }: ReadingOptions): StatementFormat[] {
  if (format !== undefined) return [format];
  return mapping === undefined ? detectFormat(first) : ["csv"];
}

/** The first bytes of a file, and the whole file. */
async function withBeginning(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ first: Uint8Array; all: AsyncGenerator<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let size = 0;
  while (size < DETECTED_BYTES) {
    const next: IteratorResult<Uint8Array, unknown> = await iterator.next();
    if (next.done === true) break;
    parts.push(next.value);
    size += next.value.byteLength;
  }
  const first = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    first.set(part, at);
    at += part.byteLength;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* parts;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { first, all: all() };
}

function checkedHead(end: StatementEnd, { account }: ReadingOptions, count: number): Head {
  if (count >= HEADS_MAX) {
    throw new FileRefused({
      kind: "LIMIT",
      message: `The file has more than ${HEADS_MAX} statements.`,
    });
  }
  const [given, wanted] = [accountKeyOf(end.account), accountKeyOf(account)];
  if (wanted !== "" && given !== "" && given !== wanted) {
    throw new FileRefused({
      kind: "ACCOUNT",
      message: `The statement is of the account ${end.account}, and the source is of the account ${account}.`,
    });
  }
  return {
    name: end.id,
    account: end.account,
    asset: end.asset,
    from: end.from,
    to: end.to,
    opening: end.opening,
    closing: end.closing,
    lines: end.lines,
    pending: end.pending,
    totals: Object.fromEntries(end.totals),
    balanced: end.balanced,
  };
}

function toNewLine(line: StatementLine): UnstoredLine {
  const { references, counterparty } = line;
  const texts = {
    ...references,
    counterpartyName: counterparty.name,
    counterpartyAccount: counterparty.account,
  };
  return {
    day: present(dayOf(line.date), "readers give dates that exist"),
    valueDate: line.valueDate,
    amount: line.amount,
    asset: line.asset,
    fee: line.fee,
    texts: Object.fromEntries(
      Object.entries(texts).filter(([, text]) => text !== undefined && text !== ""),
    ),
    category: line.category,
    fileLine: line.position.line,
    raw: line.raw.slice(0, RAW_LENGTH_MAX).toWellFormed(),
  };
}
