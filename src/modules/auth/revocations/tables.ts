import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * What is no longer valid although it has not expired. Verification works offline, so every isolate reads the new rows
 * from time to time.
 */
export const authRevocations = sqliteTable(
  "auth_revocations",
  {
    /** Ids only grow, so that an isolate reads what came after the last one that it knows. */
    id: integer("id").primaryKey({ autoIncrement: true }),
    kind: text("kind", { enum: ["client", "subject", "grant", "token"] }).notNull(),
    /** The id of the client, the person or the grant, or the `jti` of the token. */
    value: text("value").notNull(),
    /** Tokens of a client or a person that were issued later are valid again; in seconds since the epoch. */
    revokedAt: integer("revoked_at").notNull(),
    /** When the last token that it concerns has expired, in milliseconds since the epoch. */
    expiresMs: integer("expires_ms").notNull(),
  },
  (table) => [
    index("auth_revocations_expiry").on(table.expiresMs),
    index("auth_revocations_value").on(table.value),
  ],
);
