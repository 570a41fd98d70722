import { type SQLWrapper, sql } from "drizzle-orm";
import { parseUuid } from "#modules/reconciliation/core/uuid.ts";
import type { CustomKey } from "#platform/db/keys.ts";

/** A key of filters for a column of UUIDs. A text that is no UUID finds nothing. */
export const uuidKey = (column: SQLWrapper): CustomKey => ({
  type: "custom",
  matches: (text) => sql`${column} = ${parseUuid(text) ?? ""}`,
});

/**
 * A key of filters for the UUID of an owner, in a table whose column has the owner's integer key. The column is compared with one integer,
 * so that an index that begins with it serves the filter. A text that is no UUID, and an owner that does not exist, find nothing.
 */
export const ownerKey = (
  column: SQLWrapper,
  owner: { readonly table: SQLWrapper; readonly key: SQLWrapper; readonly id: SQLWrapper },
): CustomKey => ({
  type: "custom",
  matches: (text) => sql`${column} = coalesce(
    (SELECT ${owner.key} FROM ${owner.table} WHERE ${owner.id} = ${parseUuid(text) ?? ""}), -1)`,
});
