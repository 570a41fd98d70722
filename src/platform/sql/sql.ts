/**
 * The synchronous SQL that the engine needs, and no more: SQLite inside a Durable Object in production, `node:sqlite`
 * in tests and inside a user's own process.
 */
export interface Sql {
  /**
   * Runs one statement and reads all its rows. A limit that is a parameter is written `LIMIT ? + 0`: where it is alone, SQLite
   * plans with its value, and prepares the statement anew for each execution, which takes longer than most executions.
   */
  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[];
  /** Runs `work` in a transaction: if it throws, none of its writes is kept. */
  transaction<T>(work: () => T): T;
}

export type SqlValue = string | number | null;
export type SqlRow = Record<string, SqlValue>;

/** Amounts as they are stored: integers up to 2^53, decimal text above. */
export type StoredAmount = string | number;

/** An amount in JSON that becomes a column. Above 2^53 it is a text, because JavaScript would read the integer rounded. */
export const amountText = (amount: bigint): string =>
  isSafe(amount) ? amount.toString() : `"${amount}"`;

/** Whether a number holds an amount exactly. An amount that is rounded is no safe integer afterwards. */
export const isSafe = (amount: bigint): boolean => Number.isSafeInteger(Number(amount));

export const fromStored = (stored: StoredAmount): bigint => BigInt(stored);

/** The first row of a statement that always gives one. */
export function first<Row extends SqlRow>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("the statement gave no row");
  return row;
}

/** Longest JSON parameter of one statement, in characters. A Durable Object takes 2 MB. */
const PARAMETER_LENGTH_MAX = 400_000;

/** Rows in parameters of a bounded length. */
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
