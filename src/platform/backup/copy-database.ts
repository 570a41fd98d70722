import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";

/** One SQL statement with its parameters. */
export interface CopyStatement {
  readonly text: string;
  readonly params?: readonly SqlValue[];
}

/** A SQLite database that can be copied: D1, or the storage of an object. */
export interface CopyDatabase {
  /** Runs the statements in one transaction, and returns the rows of each. If one fails, none of them has changed anything. */
  readonly batch: (statements: readonly CopyStatement[]) => Promise<readonly (readonly SqlRow[])[]>;
}

/** The D1 database of the deployment. */
export const d1CopyDatabase = (db: Pick<D1Database, "prepare" | "batch">): CopyDatabase => ({
  batch: async (statements) => {
    const prepared = statements.map(({ text, params = [] }) => db.prepare(text).bind(...params));
    const answers = await db.batch<SqlRow>(prepared);
    return answers.map(({ results }) => results);
  },
});

/** The database of an object, or one of `node:sqlite`. */
export const sqlCopyDatabase = (sql: Sql): CopyDatabase => ({
  batch: async (statements) =>
    sql.transaction(() => statements.map(({ text, params = [] }) => sql.all(text, ...params))),
});
