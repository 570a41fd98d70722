import { type SQLWrapper, sql } from "drizzle-orm";
import { parseUuid } from "#modules/reconciliation/core/uuid.ts";
import type { CustomKey } from "#platform/db/keys.ts";

/** A key of filters for a column of UUIDs. A text that is no UUID finds nothing. */
export const uuidKey = (column: SQLWrapper): CustomKey => ({
  type: "custom",
  matches: (text) => sql`${column} = ${parseUuid(text) ?? ""}`,
});
