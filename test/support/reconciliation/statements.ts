import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { currencyDecimals } from "#modules/payments/core/assets.ts";
import {
  readStatement,
  type ReadOptions,
  type StatementEnd,
  StatementError,
  type StatementEvent,
  type StatementFormat,
  type StatementLine,
} from "#modules/reconciliation/core/statements/index.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures/statements");

export const DECIMALS = { decimalsOf: currencyDecimals };

/** A file of a bank for tests. */
export interface StatementFixture {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly options: ReadOptions;
}

/** The files of a format, in the order of their names. */
export function fixturesOf(format: StatementFormat): StatementFixture[] {
  const folder = join(FIXTURES, format);
  const names = readdirSync(folder).filter((name) => !NO_STATEMENTS.has(name));
  const options = names.length === readdirSync(folder).length ? {} : optionsOf(folder);
  return names.toSorted().map((name) => ({
    name,
    bytes: readFileSync(join(folder, name)),
    options: { ...DECIMALS, ...options[name] },
  }));
}

const NO_STATEMENTS = new Set(["expected.txt", "options.json"]);

function optionsOf(folder: string): Record<string, Partial<ReadOptions>> {
  if (!readdirSync(folder).includes("options.json")) return {};
  return JSON.parse(readFileSync(join(folder, "options.json"), "utf8")) as Record<
    string,
    Partial<ReadOptions>
  >;
}

/** What a file is expected to give, as it is stored beside the files. */
export const expectationPath = (format: StatementFormat): string =>
  join(FIXTURES, format, "expected.txt");

/** Gives bytes in chunks of a size. */
export async function* chunked(
  bytes: Uint8Array,
  size = bytes.byteLength,
): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  for (let start = 0; start < bytes.byteLength; start += Math.max(size, 1))
    yield bytes.subarray(start, start + Math.max(size, 1));
}

/** What reading a file gives: its events, or its error. */
export type Reading =
  | { readonly events: readonly StatementEvent[]; readonly error?: undefined }
  | { readonly events?: undefined; readonly error: StatementError };

/** Reads a whole file. Errors that are no `StatementError` pass. */
export async function readAll(
  format: StatementFormat,
  { bytes, options, chunkSize }: { bytes: Uint8Array; options: ReadOptions; chunkSize?: number },
): Promise<Reading> {
  const events: StatementEvent[] = [];
  try {
    for await (const event of readStatement(format, options, chunked(bytes, chunkSize)))
      events.push(event);
    return { events };
  } catch (error) {
    if (error instanceof StatementError) return { error };
    throw error;
  }
}

/** Describes a reading, one line for each statement, line and error. */
export function describeReading(reading: Reading): string {
  if (reading.error !== undefined) {
    const { kind, line, column, byte, message } = reading.error;
    return `  error ${kind} at ${line}:${column} (byte ${byte}): ${message}`;
  }
  return reading.events
    .flatMap((event) => {
      if (event.type === "line") return [describeLine(event.line)];
      return event.type === "end" ? [describeEnd(event.end)] : [];
    })
    .join("\n");
}

function describeEnd(end: StatementEnd): string {
  const totals = [...end.totals].map(([asset, sum]) => `${asset} ${sum}`).join(", ");
  return (
    `  statement ${end.index} ${describe({ id: end.id, account: end.account, asset: end.asset })}` +
    ` from ${end.from ?? "-"} to ${end.to ?? "-"} opening ${end.opening ?? "-"} closing ${end.closing ?? "-"}` +
    ` lines ${end.lines} pending ${end.pending} totals [${totals}]${end.balanced ? " balanced" : ""}`
  );
}

function describeLine(line: StatementLine): string {
  const { date, valueDate, amount, asset, fee, position } = line;
  const texts = { ...line.references, ...line.counterparty, category: line.category };
  const rawLength = line.raw.length;
  return `  line ${position.line}:${position.column} ${date} ${valueDate ?? "-"} ${amount} ${asset} fee ${fee ?? "-"} ${describe(texts)} raw ${rawLength}`;
}

const describe = (texts: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(texts)
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `${name}=${JSON.stringify(text)}`)
    .join(" ");
