import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Tokens that are no longer valid although they have not expired. Verification reads no database, so every isolate reads the new
 * rows from time to time.
 */
export const authRevocations = sqliteTable(
  "auth_revocations",
  {
    /** Ids only grow, so that an isolate can read the rows after the last one that it knows. */
    id: integer("id").primaryKey({ autoIncrement: true }),
    kind: text("kind", { enum: ["client", "subject", "grant", "token"] }).notNull(),
    /** The id of the client, the person or the grant, or the `jti` of the token. */
    value: text("value").notNull(),
    /** When the revocation was made, in seconds since the epoch. Later tokens of a client or a person are valid. */
    revokedAt: integer("revoked_at").notNull(),
    /** When the last token that the revocation concerns has expired, in milliseconds since the epoch. */
    expiresMs: integer("expires_ms").notNull(),
  },
  (table) => [
    index("auth_revocations_expiry").on(table.expiresMs),
    index("auth_revocations_value").on(table.value),
  ],
);
