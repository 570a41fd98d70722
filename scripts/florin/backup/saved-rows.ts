import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parseJson, stringifyJson } from "#platform/json.ts";

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

/**
 * The rows of a copy while it is made, in a temporary file that SQLite removes: a later row replaces the one with its key. The lines of a
 * table are those of its file.
 */
export class SavedRows {
  readonly #database = new DatabaseSync("");
  readonly #put: StatementSync;
  readonly #remove: StatementSync;

  constructor() {
    this.#database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE row (tbl TEXT, number INTEGER, key TEXT, line TEXT NOT NULL, PRIMARY KEY (tbl, number, key)) WITHOUT ROWID;`);
    this.#put = this.#database.prepare("INSERT OR REPLACE INTO row VALUES (?, ?, ?, ?)");
    this.#remove = this.#database.prepare(
      "DELETE FROM row WHERE tbl = ? AND number = ? AND key = ?",
    );
  }

  /** Keeps a row by the values of its key. Without a row, the one with the key is removed. */
  keep(table: string, key: readonly unknown[], row: readonly unknown[] | undefined): void {
    const { number, text } = rowKeyOf(key);
    if (row === undefined) this.#remove.run(table, number, text);
    else this.#put.run(table, number, text, stringifyJson(row));
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
    this.#database.exec("BEGIN");
    work();
    this.#database.exec("COMMIT");
  }

  /** The number of rows of a table. */
  count(table: string): number {
    const row = this.#database.prepare("SELECT count(*) AS rows FROM row WHERE tbl = ?").get(table);
    return Number(row?.["rows"]);
  }

  /** Forgets all rows, for a copy that is begun anew. */
  clear(): void {
    this.#database.exec("DELETE FROM row");
  }

  /** The rows of a table as JSON lists, in the order of their keys. */
  *linesOf(table: string): Generator<string> {
    const rows = this.#database
      .prepare("SELECT line FROM row WHERE tbl = ? ORDER BY number, key")
      .iterate(table);
    for (const { line } of rows) yield String(line);
  }

  close(): void {
    this.#database.close();
  }
}
