import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** The values of a whole row, in the order of its table's columns, for an `INSERT ... SELECT` with a condition. */
export const rowValues = <T extends SQLiteTable>(table: T, row: T["$inferSelect"]): SQL =>
  sql.join(
    Object.entries(getTableColumns(table)).map(([name, column]) => sql.param(row[name], column)),
    sql`, `,
  );
