import { present } from "#platform/assert.ts";
import { isSafe, type Sql, type SqlValue } from "#platform/sql/sql.ts";

/** Most parameters of one statement of a Durable Object. */
const PARAMETERS_MAX = 100;

/** Runs a statement with rows as its parameter, a list in JSON, in several runs where they are too many for one. */
export type WriteRows = (statement: string, rows: readonly string[]) => void;

/** How rows of one form are inserted, several with each statement. */
export interface Insertion {
  /** The number of values of a row. */
  readonly width: number;
  /** The statements for one row, two rows, and so on. */
  readonly statements: readonly string[];
}

/**
 * Makes the statements for a table. The columns are given with the expression of their value, such as `?`; `onConflict` is the end
 * of a statement that may meet rows that exist.
 *
 * A statement that fails may leave some of its rows: whoever runs it must undo the transaction, or the savepoint, around it. For a
 * statement of several rows that undoes itself, SQLite would first copy each page that it changes, which takes as long as the rows.
 */
export function insertionInto(
  table: string,
  columns: Readonly<Record<string, string>>,
  onConflict = "",
): Insertion {
  const names = Object.keys(columns);
  const row = `(${Object.values(columns).join(", ")})`;
  const into = `INSERT OR FAIL INTO ${table} (${names.join(", ")}) VALUES `;
  const statements = Array.from(
    { length: Math.floor(PARAMETERS_MAX / names.length) },
    (_, index) => into + Array.from({ length: index + 1 }, () => row).join(", ") + onConflict,
  );
  return { width: names.length, statements };
}

/**
 * Inserts rows, whose values come one after the other. This takes half the time of `json_each`, where each value is looked up in the
 * JSON of its row.
 */
export function insertRows(
  sql: Sql,
  { width, statements }: Insertion,
  values: readonly SqlValue[],
): void {
  const most = width * statements.length;
  for (let from = 0; from < values.length; from += most) {
    const part = values.slice(from, from + most);
    const statement = statements[part.length / width - 1];
    sql.all(present(statement, "the values are those of whole rows"), ...part);
  }
}

/** An integer for a statement that casts it: above 2^53 it is a text. */
export const integerValue = (integer: bigint): SqlValue =>
  isSafe(integer) ? Number(integer) : integer.toString();
