import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { authPeople } from "#modules/auth/people/tables.ts";
import type { authClients } from "#modules/auth/tables.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";

/** A change that is made only if a condition holds, with what is stored before it and after it in its batch. */
export interface ConditionalChange {
  readonly audited: AuditedChange;
  readonly condition: SQL;
  readonly before?: readonly BatchItem<"sqlite">[];
  readonly others?: readonly BatchItem<"sqlite">[];
}

/** Whether a client or a person may do what it could when it was read, and has the credentials of that time. */
export const isStill = (
  table: typeof authClients | typeof authPeople,
  { id, version }: { readonly id: string; readonly version: string },
): SQL =>
  sql`EXISTS (SELECT 1 FROM ${table} WHERE ${table.id} = ${id} AND ${table.version} = ${version})`;
