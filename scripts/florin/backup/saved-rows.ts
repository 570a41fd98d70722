import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parseJson, stringifyJson } from "#platform/json.ts";

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
    const [first] = key;
    // Rows are sorted by their rowid, and rows without one by their key. A number of SQLite may exceed those of JavaScript.
    const number = typeof first === "number" || typeof first === "bigint" ? BigInt(first) : 0n;
    const text = stringifyJson(key);
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
