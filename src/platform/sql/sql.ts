/**
 * The synchronous SQL that the engine needs: SQLite inside of a Durable Object in production, `node:sqlite` in tests and inside of a user's
 * own process.
 */
export interface Sql {
  /**
   * Runs one statement and reads all its rows. A limit that is a parameter is written `LIMIT ? + 0`: SQLite plans with the value of a bare
   * parameter and prepares the statement anew for each execution, which takes longer than most executions.
   */
  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[];
  /** Runs `work` in a transaction. If `work` throws, none of its writes is kept. */
  transaction<T>(work: () => T): T;
}

export type SqlValue = string | number | null;
export type SqlRow = Record<string, SqlValue>;

/** A stored amount: an integer up to 2^53, a decimal text above. */
export type StoredAmount = string | number;

/** The JSON of an amount for a column. Above 2^53 it is a text, because JavaScript would round the integer. */
export const amountText = (amount: bigint): string =>
  isSafe(amount) ? amount.toString() : `"${amount}"`;

/** Whether a number holds an amount exactly. A rounded amount is not a safe integer. */
export const isSafe = (amount: bigint): boolean => Number.isSafeInteger(Number(amount));

/** An amount as a column holds it. */
export const toStored = (amount: bigint): StoredAmount =>
  isSafe(amount) ? Number(amount) : amount.toString();

export const fromStored = (stored: StoredAmount): bigint => BigInt(stored);

/** The first row of a statement that always gives at least one row. */
export function first<Row extends SqlRow>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("the statement gave no row");
  return row;
}

/** Longest JSON parameter of a statement, in characters. A Durable Object takes 2 MB. */
const PARAMETER_LENGTH_MAX = 400_000;

/** Packs rows, each a JSON text, into chunks of at most `PARAMETER_LENGTH_MAX` characters. */
export function* chunksOf(rows: readonly string[]): Generator<string[]> {
  let chunk: string[] = [];
  let length = 0;
  for (const row of rows) {
    if (length > 0 && length + row.length > PARAMETER_LENGTH_MAX) {
      yield chunk;
      chunk = [];
      length = 0;
    }
    chunk.push(row);
    length += row.length + 1;
  }
  if (chunk.length > 0) yield chunk;
}
