import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { authPeople } from "#modules/auth/people/tables.ts";
import type { Timestamp } from "#platform/time.ts";

/** Logins under way: requests of clients, while a person logs in. */
export const authLogins = sqliteTable(
  "auth_logins",
  {
    /** Base64 of the SHA-256 of the login's id, which only its browser knows. */
    hash: text("hash").primaryKey(),
    /** Base64 of the SHA-256 of the cookie of the browser that has begun the login, and alone may continue it. */
    browser: text("browser").notNull(),
    /** The `LoginRequest`, as JSON. */
    request: text("request").notNull(),
    /** The person who has logged in; null before. */
    personId: text("person_id").references(() => authPeople.id, { onDelete: "cascade" }),
    authenticatedAt: text("authenticated_at").$type<Timestamp>(),
    /** Base64 of the SHA-256 of the challenge that a passkey has to sign; null if no passkey was asked for. */
    challenge: text("challenge"),
    expiresAt: text("expires_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    index("auth_logins_person").on(table.personId),
    index("auth_logins_expires").on(table.expiresAt),
  ],
);
