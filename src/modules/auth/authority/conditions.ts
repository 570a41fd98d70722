import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { AuditedChange } from "#platform/audit/audited-change.ts";

/** A change that is made only if a condition holds, with the statements before and after it in the same batch. */
export interface ConditionalChange {
  readonly audited: AuditedChange;
  readonly condition: SQL;
  readonly before?: readonly BatchItem<"sqlite">[];
  readonly others?: readonly BatchItem<"sqlite">[];
}

/** The table of clients or the table of people. */
type HolderTable = SQLiteTable & {
  readonly id: AnySQLiteColumn;
  readonly version: AnySQLiteColumn;
};

/** Holds as long as a client or a person has the authority and the credentials that it had when it was read. */
export const hasUnchangedAuthority = (
  table: HolderTable,
  { id, version }: { readonly id: string; readonly version: string },
): SQL =>
  sql`EXISTS (SELECT 1 FROM ${table} WHERE ${table.id} = ${id} AND ${table.version} = ${version})`;
