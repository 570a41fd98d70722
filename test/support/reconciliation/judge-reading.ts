import type { Reading } from "./statements.ts";
import { currencyDecimals } from "#modules/payments/core/assets.ts";
import type {
  ReadOptions,
  StatementEnd,
  StatementError,
  StatementEvent,
  StatementFormat,
  StatementLine,
} from "#modules/reconciliation/core/statements/index.ts";
import { fileEncoding } from "#modules/reconciliation/core/statements/text/encoding.ts";
import { assert } from "#platform/assert.ts";

/** A file that was read. */
export interface ReadFile {
  readonly format: StatementFormat;
  readonly bytes: Uint8Array;
  readonly options: ReadOptions;
}

/**
 * Asserts of any file, however damaged, what holds of its reading. An error stands at a line and column of the file that are those of its byte.
 * A result consists of whole statements, whose totals are the sums of their lines, whose balances agree with these where there are
 * balances, whose days exist, and of which each line stands in the file where it says, and has in its own source the number that is its
 * amount.
 */
export function judgeReading(reading: Reading, file: ReadFile): void {
  if (reading.error === undefined) judgeEvents(reading.events, file);
  else judgeError(reading.error, file);
}

function judgeError(
  { line, column, byte, message }: StatementError,
  { bytes, options }: ReadFile,
): void {
  assert(byte >= 0 && byte <= bytes.byteLength, `byte ${byte} lies in the file`);
  assert(/^[A-Z].*\.$/s.test(message) && message.length < 500, `"${message}" is a sentence`);
  const before = decode(bytes.subarray(0, byte), bytes, options);
  const lines = before.split(/\r\n|\n|\r/);
  // A byte between \r and \n belongs to the line that they end.
  const last = lines.at(-1) ?? "";
  assert(
    lines.length === line && last.length + 1 === column,
    `byte ${byte} is at ${lines.length}:${last.length + 1}, not at ${line}:${column}: ${message}`,
  );
}

/** The text of a part of a file. Which encoding a file has is held by tests of its own. */
function decode(part: Uint8Array, file: Uint8Array, { encoding }: ReadOptions): string {
  const name = encodingOf(file, encoding);
  return new TextDecoder(name).decode(part);
}

function encodingOf(file: Uint8Array, option: ReadOptions["encoding"]): string {
  try {
    return fileEncoding(file.subarray(0, 1024), option).encoding;
  } catch {
    return "utf-8"; // What precedes the name of an unknown encoding is ASCII.
  }
}

function judgeEvents(events: readonly StatementEvent[], file: ReadFile): void {
  const text = decode(file.bytes, file.bytes, file.options);
  const sources = text.split(/\r\n|\n|\r/);
  let lines: StatementLine[] = [];
  let index = 0;
  let isOpen = false;
  for (const event of events) {
    if (event.type === "head") {
      assert(!isOpen && event.head.index === index, "heads come one by one");
      [isOpen, lines] = [true, []];
    } else if (event.type === "line") {
      assert(isOpen, "lines stand in statements");
      lines.push(event.line);
      judgeLine(event.line, { format: file.format, sources });
    } else {
      assert(isOpen && event.end.index === index, "ends come after their heads");
      [isOpen, index] = [false, index + 1];
      judgeEnd(event.end, lines);
    }
  }
  assert(!isOpen, "all statements end");
}

function judgeEnd(end: StatementEnd, lines: readonly StatementLine[]): void {
  const sums = new Map<string, bigint>();
  for (const { asset, amount } of lines) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
  assert(end.lines === lines.length, "the number of lines is stated");
  assert(
    [...sums].every(([asset, sum]) => end.totals.get(asset) === sum) &&
      sums.size === end.totals.size,
    "totals are sums of lines",
  );
  const { asset, opening, closing } = end;
  const isComplete = asset !== undefined && opening !== undefined && closing !== undefined;
  assert(end.balanced === isComplete, "a statement with both balances is balanced");
  if (isComplete)
    assert(opening + (sums.get(asset) ?? 0n) === closing, "balances agree with lines");
}

function judgeLine(
  line: StatementLine,
  { format, sources }: { format: StatementFormat; sources: readonly string[] },
): void {
  const { date, valueDate, amount, asset, raw, position } = line;
  for (const day of [date, valueDate])
    assert(day === undefined || isDay(day), `${day ?? ""} exists in the calendar`);
  const [code = "", digits = "0"] = asset.split("/");
  const known = currencyDecimals(code);
  assert(
    known === undefined || format === "json-lines" || format === "csv" || known === Number(digits),
    "assets have the decimals of their currencies",
  );
  const source = sources[position.line - 1] ?? "";
  const first = raw.split(/\r\n|\n|\r/, 1)[0] ?? "";
  assert(
    source.startsWith(first, position.column - 1),
    `"${first}" stands at ${position.line}:${position.column}`,
  );
  const units = amount < 0n ? -amount : amount;
  const scale = format === "bai2" || format === "json-lines" ? 0 : Number(digits);
  const isSum = format === "adyen-settlement" || format === "csv";
  assert(
    numbersIn(raw, scale).has(units) || (isSum && units === 0n),
    `${units} is a number of ${raw}`,
  );
}

/** Whether a day exists, as the engine's calendar says. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

const FORMS = [/\d+/y, /\d+[.,]\d*/y, /\d{1,3}(?:[., '’\u00a0]\d{3})+(?:[.,]\d*)?/y];

/** The numbers that a text has, in units of which `10 ** scale` are one, however their decimals and groups are written. */
function numbersIn(text: string, scale: number): Set<bigint> {
  const numbers = new Set<bigint>();
  for (const { index } of text.matchAll(/(?<!\d)\d/g)) {
    for (const form of FORMS) {
      form.lastIndex = index;
      const found = form.exec(text)?.[0];
      if (found !== undefined) for (const number of readingsOf(found, scale)) numbers.add(number);
    }
  }
  return numbers;
}

/** What a number may mean: its last sign may stand before its decimals, or between groups. */
function* readingsOf(number: string, scale: number): Generator<bigint> {
  const digits = number.replaceAll(/\D/g, "");
  yield BigInt(digits) * 10n ** BigInt(scale);
  const decimals = /[.,](\d*)$/.exec(number)?.[1];
  if (decimals === undefined) return;
  const zeros = decimals.slice(scale);
  if (/^0*$/.test(zeros))
    yield (
      BigInt(digits.slice(0, digits.length - zeros.length)) *
        10n ** BigInt(Math.max(scale - decimals.length, 0))
    );
}
