import { Buffer } from "node:buffer";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Sql, SqlRow } from "#platform/sql/sql.ts";

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

/**
 * Characters of a line that are kept as one value. SQLite of a Durable Object takes 2 MB for a value and for a row, and a line is longer than
 * the row of D1 that it is made of: bytes are in hexadecimal digits, and characters of JSON in JSON are escaped twice.
 */
const PIECE_CHARACTERS = 250_000;

/** Make the tables of `SavedRows`: rows with the beginnings of their lines, the numbers of further pieces, and the bytes of the whole lines; and the pieces. */
export const CREATE_ROWS: readonly string[] = [
  "CREATE TABLE saved_row (tbl TEXT, number INTEGER, key TEXT, line TEXT NOT NULL, more INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (tbl, number, key)) WITHOUT ROWID",
  "CREATE TABLE saved_piece (tbl TEXT, number INTEGER, key TEXT, piece INTEGER, text TEXT NOT NULL, PRIMARY KEY (tbl, number, key, piece)) WITHOUT ROWID",
];

/**
 * The rows of a copy while it is made, in tables that `CREATE_ROWS` has made: a later row replaces the one with its key. The lines of a table are
 * those of its file. A long line is kept in pieces:
 *
 *     saved_row    key 7 │ line: the first 250,000 characters │ more: 2
 *     saved_piece  key 7 │ piece 1, piece 2 │ a piece 3 would be left of an earlier, longer row, and is not read
 */
export class SavedRows {
  readonly #sql: Sql;
  readonly #mayWrite: () => boolean;

  /** `mayWrite` says whether whoever reads the rows is still the one that writes them. */
  constructor(sql: Sql, mayWrite: () => boolean = () => true) {
    this.#sql = sql;
    this.#mayWrite = mayWrite;
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
      const whole = stringifyJson(row);
      const [line = "", ...more] = piecesOf(whole);
      this.#sql.all(
        "INSERT OR REPLACE INTO saved_row VALUES (?, CAST(? AS INTEGER), ?, ?, ?, ?)",
        ...place,
        line,
        more.length,
        Buffer.byteLength(whole),
      );
      for (const [index, piece] of more.entries()) {
        this.#sql.all(
          "INSERT OR REPLACE INTO saved_piece VALUES (?, CAST(? AS INTEGER), ?, ?, ?)",
          ...place,
          index + 1,
          piece,
        );
      }
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

  /** Keeps many rows at once. Throws for rows that come too late: they may be older than those that are there. */
  together(work: () => void): void {
    if (!this.#mayWrite())
      throw new Error("The rows came after the end of the step that reads them.");
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
    this.#sql.all("DELETE FROM saved_piece");
  }

  /** The next rows of a table behind a place, or the first ones. */
  page(table: string, { number, key }: RowPlace = BEGINNING): RowLines {
    const rows = this.#sql.all<KeptRow>(
      `SELECT CAST(page.number AS TEXT) AS number, page.key, saved_row.line, saved_row.more
        FROM (SELECT number, key, bytes, sum(bytes) OVER (ORDER BY number, key) AS total
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
    const lines = rows.map((row) => (row.more === 0 ? row.line : this.#wholeLine(table, row)));
    const last = rows.at(-1);
    return last === undefined ? { lines } : { lines, last: { number: last.number, key: last.key } };
  }

  #wholeLine(table: string, { number, key, line, more }: KeptRow): string {
    const pieces = this.#sql.all<{ text: string }>(
      "SELECT text FROM saved_piece WHERE tbl = ? AND number = CAST(? AS INTEGER) AND key = ? AND piece <= ? ORDER BY piece",
      table,
      number,
      key,
      more,
    );
    return line + pieces.map(({ text }) => text).join("");
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

/** A row as it is kept: its place, the beginning of its line, and the number of further pieces. */
interface KeptRow extends SqlRow {
  readonly number: string;
  readonly key: string;
  readonly line: string;
  readonly more: number;
}

/** A line in pieces. None ends inside of a pair of surrogates, because SQLite keeps texts in UTF-8. */
function* piecesOf(line: string): Generator<string> {
  for (let from = 0; from < line.length;) {
    const end = from + PIECE_CHARACTERS;
    const isInPair = end < line.length && (line.codePointAt(end - 1) ?? 0) > 0xff_ff;
    const to = isInPair ? end - 1 : end;
    yield line.slice(from, to);
    from = to;
  }
}
