import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { authPeople } from "#modules/auth/people/tables.ts";
import type { Timestamp } from "#platform/time.ts";

/** Requests of clients whose browsers are at a login. */
export const authLogins = sqliteTable(
  "auth_logins",
  {
    /** SHA-256 of the request's id, which only its browser knows. */
    hash: text("hash").primaryKey(),
    /** SHA-256 of the cookie of the browser that has begun the login, and that alone may go on. */
    browser: text("browser").notNull(),
    /** What the client asks for, as a JSON text. */
    request: text("request").notNull(),
    /** Who has logged in; null until then. */
    personId: text("person_id").references(() => authPeople.id, { onDelete: "cascade" }),
    authenticatedAt: text("authenticated_at").$type<Timestamp>(),
    /** SHA-256 of what a passkey has to sign; null where none was asked for. */
    challenge: text("challenge"),
    expiresAt: text("expires_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    index("auth_logins_person").on(table.personId),
    index("auth_logins_expires").on(table.expiresAt),
  ],
);
