import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** The values of a whole row, in the order of its table's columns: what an insertion with a condition selects. */
export const rowValues = <T extends SQLiteTable>(table: T, row: T["$inferSelect"]): SQL =>
  sql.join(
    Object.entries(getTableColumns(table)).map(([name, column]) => sql.param(row[name], column)),
    sql`, `,
  );
