import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Quotas of clients, one row for each client that has a quota of its own. The client may be the first one or built in. */
export const authClientQuotas = sqliteTable("auth_client_quotas", {
  clientId: text("client_id").primaryKey(),
  /** The quota (`core/quota.ts`), as JSON. */
  quota: text("quota").notNull(),
});

/** How often quotas have refused. The number of rows is bounded (`refusals.ts`). */
export const authQuotaRefusals = sqliteTable(
  "auth_quota_refusals",
  {
    /** The id of a client of this server, or the issuer of a client of another one. */
    client: text("client").notNull(),
    /** What was beyond the quota: `requests`, `writes`, `elements` or `streams`. */
    kind: text("kind").notNull(),
    count: integer("count").notNull(),
    /** When the last ones were added, in milliseconds since the epoch. */
    updatedMs: integer("updated_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.client, table.kind] }),
    index("auth_quota_refusals_updated").on(table.updatedMs),
  ],
);
