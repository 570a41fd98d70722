import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { AuditedChange } from "#platform/audit/audited-change.ts";

/** A change that is made only if a condition holds, with what is stored before it and after it in its batch. */
export interface ConditionalChange {
  readonly audited: AuditedChange;
  readonly condition: SQL;
  readonly before?: readonly BatchItem<"sqlite">[];
  readonly others?: readonly BatchItem<"sqlite">[];
}

/** The table of clients, or the one of people. */
type HolderTable = SQLiteTable & {
  readonly id: AnySQLiteColumn;
  readonly version: AnySQLiteColumn;
};

/** Whether a client or a person may do what it could when it was read, and has the credentials of that time. */
export const isStill = (
  table: HolderTable,
  { id, version }: { readonly id: string; readonly version: string },
): SQL =>
  sql`EXISTS (SELECT 1 FROM ${table} WHERE ${table.id} = ${id} AND ${table.version} = ${version})`;
