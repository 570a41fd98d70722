import { DatabaseSync } from "node:sqlite";
import { CREATE_ROWS, SavedRows } from "#platform/backup/saving/saved-rows.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

/** Rows of a copy in a temporary file, which SQLite removes when it is closed or the process ends. */
export class TemporaryRows extends SavedRows implements Disposable {
  readonly #database: DatabaseSync;

  constructor() {
    const database = new DatabaseSync("");
    const sql = new NodeSql(database);
    for (const statement of CREATE_ROWS) sql.all(statement);
    super(sql);
    this.#database = database;
    // Nothing of the file outlives the process, so that nothing has to survive a crash of it.
    database.exec("PRAGMA synchronous = OFF");
  }

  close(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
