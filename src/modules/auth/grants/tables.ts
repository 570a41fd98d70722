import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { MembershipKind } from "#modules/auth/core/membership.ts";

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
    /** The kind of membership token (`core/membership.ts`) that the grant gives; null for tokens of the API. */
    membership: text("membership").$type<MembershipKind>(),
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

/** Requests of devices for a login, which a person answers in a browser elsewhere (RFC 8628). */
export const authDeviceCodes = sqliteTable(
  "auth_device_codes",
  {
    /** Base64 of the SHA-256 of the device code. The device code itself is not stored. */
    hash: text("hash").primaryKey(),
    /** The code that the person compares or types, without its hyphen. Alone it opens nothing. */
    userCode: text("user_code").notNull(),
    clientId: text("client_id").notNull(),
    /** The requested scopes that the client may have, and from the approval on the granted ones; separated by spaces. */
    scopes: text("scopes").notNull(),
    /** The kind of membership token that is asked for; null for a token of the API. */
    membership: text("membership").$type<MembershipKind>(),
    /** The only person who may approve, if the client has sent an ID token as a hint. */
    hintedSubject: text("hinted_subject"),
    /** The IP address from which the device has asked, for the person to look at. */
    address: text("address").notNull(),
    state: text("state").$type<"pending" | "approved" | "denied">().notNull(),
    /** The person who has answered; null before. */
    subject: text("subject"),
    /** When this person has logged in, in seconds since the epoch; null before the approval. */
    authTime: integer("auth_time"),
    /** When the device may ask again, in milliseconds since the epoch. */
    nextPollMs: integer("next_poll_ms").notNull(),
    createdMs: integer("created_ms").notNull(),
    /** When the row is purged, in milliseconds since the epoch. The code itself ends earlier (`DEVICE_CODE_LIFETIME_MS`). */
    expiresMs: integer("expires_ms").notNull(),
    /** The grant that the last redemption has made; null before. */
    grantId: text("grant_id"),
    /** When the code was redeemed for the first time, in milliseconds since the epoch; null before. */
    redeemedMs: integer("redeemed_ms"),
  },
  (table) => [
    uniqueIndex("auth_device_codes_user_code").on(table.userCode),
    index("auth_device_codes_expiry").on(table.expiresMs),
    index("auth_device_codes_client").on(table.clientId),
    index("auth_device_codes_subject").on(table.subject),
  ],
);
