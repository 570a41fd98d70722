import { Buffer } from "node:buffer";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The key of a row, by which the rows of a table are in order: its first value if that is an integer, and then all its values as JSON. */
export interface RowKey {
  readonly number: bigint;
  readonly text: string;
}

/** The key of a row by the values of its columns. Rows are sorted by their rowid, and rows without one by their key. */
export function rowKeyOf(values: readonly unknown[]): RowKey {
  const [first] = values;
  // A number of SQLite may exceed those of JavaScript.
  const number = typeof first === "number" || typeof first === "bigint" ? BigInt(first) : 0n;
  return { number, text: stringifyJson(values) };
}

/** Less than 0 if a key comes before another one, as SQLite sorts them: texts by their bytes in UTF-8. */
export function compareKeys(one: RowKey, other: RowKey): number {
  if (one.number !== other.number) return one.number < other.number ? -1 : 1;
  return Buffer.compare(Buffer.from(one.text), Buffer.from(other.text));
}

/** A row of a table, behind which others come. The number is a decimal text, because it may exceed those of JavaScript. */
export interface RowPlace {
  readonly number: string;
  readonly key: string;
}

/** Rows as lines of JSON, in the order of their keys; `last` is the place of the last one, absent behind the last row of the table. */
export interface RowLines {
  readonly lines: readonly string[];
  readonly last?: RowPlace;
}

/** Most rows of one page, and bytes of their lines. A single line may exceed them. */
const PAGE_ROWS = 2000;
const PAGE_BYTES = 1_000_000;

/** A place before all rows: the smallest number of SQLite. */
const BEGINNING: RowPlace = { number: "-9223372036854775808", key: "" };

/** Makes the table of `SavedRows`. */
export const CREATE_ROWS =
  "CREATE TABLE saved_row (tbl TEXT, number INTEGER, key TEXT, line TEXT NOT NULL, PRIMARY KEY (tbl, number, key)) WITHOUT ROWID";

/** The rows of a copy while it is made, in a table that `CREATE_ROWS` has made: a later row replaces the one with its key. The lines of a table are those of its file. */
export class SavedRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Keeps a row by the values of its key. Without a row, the one with the key is removed. */
  keep(table: string, key: readonly unknown[], row: readonly unknown[] | undefined): void {
    const { number, text } = rowKeyOf(key);
    const place = [table, String(number), text];
    if (row === undefined) {
      this.#sql.all(
        "DELETE FROM saved_row WHERE tbl = ? AND number = CAST(? AS INTEGER) AND key = ?",
        ...place,
      );
    } else {
      this.#sql.all(
        "INSERT OR REPLACE INTO saved_row VALUES (?, CAST(? AS INTEGER), ?, ?)",
        ...place,
        stringifyJson(row),
      );
    }
  }

  /** Keeps a row whose key is given as a text. */
  keepChanged(change: {
    readonly table: string;
    readonly key: string;
    readonly row?: readonly unknown[] | undefined;
  }): void {
    const key = parseJson(change.key) as readonly unknown[]; // The answer's key is a JSON list.
    this.keep(change.table, key, change.row);
  }

  /** Keeps many rows at once. */
  together(work: () => void): void {
    this.#sql.transaction(work);
  }

  /** The number of rows of a table. */
  count(table: string): number {
    const [row] = this.#sql.all("SELECT count(*) AS rows FROM saved_row WHERE tbl = ?", table);
    return Number(row?.["rows"]);
  }

  /** Forgets all rows, for a copy that is begun anew. */
  clear(): void {
    this.#sql.all("DELETE FROM saved_row");
  }

  /** The next rows of a table behind a place, or the first ones. */
  page(table: string, { number, key }: RowPlace = BEGINNING): RowLines {
    const rows = this.#sql.all<{ number: string; key: string; line: string }>(
      `SELECT CAST(page.number AS TEXT) AS number, page.key, saved_row.line
        FROM (SELECT number, key, octet_length(line) AS bytes, sum(octet_length(line)) OVER (ORDER BY number, key) AS total
          FROM saved_row WHERE tbl = ? AND (number, key) > (CAST(? AS INTEGER), ?) ORDER BY number, key LIMIT ? + 0) AS page
        JOIN saved_row ON saved_row.tbl = ? AND saved_row.number = page.number AND saved_row.key = page.key
        WHERE page.total - page.bytes < ? ORDER BY page.number, page.key`,
      table,
      number,
      key,
      PAGE_ROWS,
      table,
      PAGE_BYTES,
    );
    const lines = rows.map(({ line }) => line);
    const last = rows.at(-1);
    return last === undefined ? { lines } : { lines, last: { number: last.number, key: last.key } };
  }

  /** All rows of a table as JSON lists, in the order of their keys. */
  *linesOf(table: string): Generator<string> {
    let place: RowPlace | undefined;
    do {
      const { lines, last } = this.page(table, place);
      yield* lines;
      place = last;
    } while (place !== undefined);
  }
}
