import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Authorities that clients and people had before a change of scopes or ledgers, one row for each change. A row is purged when no
 * token or session of its time can live any more.
 */
export const authFormerAuthorities = sqliteTable(
  "auth_former_authorities",
  {
    kind: text("kind", { enum: ["client", "person"] }).notNull(),
    /** The id of the client or the person, which may be deleted. */
    holder: text("holder").notNull(),
    /** The authority in its canonical form, as JSON; see `core/authority.ts`. */
    authority: text("authority").notNull(),
    /** When the row is purged, in milliseconds since the epoch. */
    expiresMs: integer("expires_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.holder, table.authority] }),
    index("auth_former_authorities_expiry").on(table.expiresMs),
  ],
);
