import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * What clients and people could do before their scopes or ledgers were changed, one row for each change; tokens have none. A row is
 * purged when no token of that time lives any more.
 */
export const authFormerAuthorities = sqliteTable(
  "auth_former_authorities",
  {
    kind: text("kind", { enum: ["client", "person"] }).notNull(),
    /** The id of the client or the person, who may be gone. */
    holder: text("holder").notNull(),
    /** In its canonical form, as a JSON text; see `core/authority.ts`. */
    authority: text("authority").notNull(),
    /** In milliseconds since the epoch. */
    expiresMs: integer("expires_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.holder, table.authority] }),
    index("auth_former_authorities_expiry").on(table.expiresMs),
  ],
);
