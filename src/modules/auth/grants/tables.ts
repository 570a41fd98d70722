import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Authorization codes, which a client redeems once for tokens. */
export const authCodes = sqliteTable(
  "auth_codes",
  {
    /** Base64 of the SHA-256 of the code. The code itself is not stored. */
    hash: text("hash").primaryKey(),
    clientId: text("client_id").notNull(),
    subject: text("subject").notNull(),
    redirectUri: text("redirect_uri").notNull(),
    /** The granted scopes, separated by spaces. */
    scopes: text("scopes").notNull(),
    nonce: text("nonce"),
    /** The PKCE challenge, of the method S256. */
    codeChallenge: text("code_challenge"),
    /** When the person has logged in, in seconds since the epoch. */
    authTime: integer("auth_time").notNull(),
    /** When the code expires, and after its redemption when its row is purged, in milliseconds since the epoch. */
    expiresMs: integer("expires_ms").notNull(),
    /** The grant that the redemption has made; null before. */
    grantId: text("grant_id"),
  },
  (table) => [
    index("auth_codes_expiry").on(table.expiresMs),
    index("auth_codes_client").on(table.clientId),
    index("auth_codes_subject").on(table.subject),
  ],
);

/** Grants: scopes that people have allowed clients. All tokens that go back to one code belong to one grant and end with it. */
export const authGrants = sqliteTable(
  "auth_grants",
  {
    id: text("id").primaryKey(),
    clientId: text("client_id").notNull(),
    subject: text("subject").notNull(),
    scopes: text("scopes").notNull(),
    authTime: integer("auth_time").notNull(),
    /** When the code and the last refresh token of the grant have expired, in milliseconds since the epoch. */
    expiresMs: integer("expires_ms").notNull(),
  },
  (table) => [
    index("auth_grants_expiry").on(table.expiresMs),
    index("auth_grants_client").on(table.clientId),
    index("auth_grants_subject").on(table.subject),
  ],
);

/** Refresh tokens. Each is used once. A used token is kept until it would expire, so that a second use is recognised. */
export const authRefreshTokens = sqliteTable(
  "auth_refresh_tokens",
  {
    /** Base64 of the SHA-256 of the token. The token itself is not stored. */
    hash: text("hash").primaryKey(),
    grantId: text("grant_id")
      .notNull()
      .references(() => authGrants.id, { onDelete: "cascade" }),
    expiresMs: integer("expires_ms").notNull(),
    /** The hash of the token that has replaced this token; null for an unused token. */
    successor: text("successor"),
  },
  (table) => [
    index("auth_refresh_tokens_grant").on(table.grantId),
    index("auth_refresh_tokens_expiry").on(table.expiresMs),
  ],
);
