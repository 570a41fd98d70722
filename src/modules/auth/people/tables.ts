import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** The people who can log in. */
export const authPeople = sqliteTable(
  "auth_people",
  {
    /** Order in which people are listed: the order in which they were added. */
    sequence: integer("sequence").primaryKey({ autoIncrement: true }),
    /** The `sub` of the person's tokens. */
    id: text("id").notNull().unique(),
    /** The provider at which the person logs in; empty for our own login page. */
    issuer: text("issuer").notNull(),
    /** The id of the person at the provider; for our own login page, the same as `id`. */
    subject: text("subject").notNull(),
    email: text("email").notNull(),
    emailVerified: integer("email_verified", { mode: "boolean" }).notNull(),
    /** The name of the person; empty if it is not known. */
    name: text("name").notNull(),
    /** The scopes that the person's tokens may have, as JSON. */
    scopes: text("scopes").notNull(),
    /** The e-mail address in the form in which our own login page compares it; null for people of another provider. */
    login: text("login").unique(),
    /** The hash of the password for our own login page, with its salt and parameters. */
    password: text("password"),
    /** Whether the person has all scopes of the modules, including those that a later release adds. */
    hasAllScopes: integer("has_all_scopes", { mode: "boolean" }).notNull().default(false),
    /**
     * The authority of the maker of the last link by which a password was set (`core/authority.ts`), as JSON. Passkeys and
     * sessions go back to this link too, because a password set by a link ends all others. After a link that signs in, it is what
     * its maker could do as well. Null if another provider vouches for the person.
     */
    vouchedBy: text("vouched_by"),
    /** A text that changes with the person's authority, and with who vouches for the credentials. */
    version: text("version").notNull().default(""),
    /** Patterns of the only ledgers that the person's tokens reach, as JSON of a list; empty for all. */
    ledgers: text("ledgers").notNull().default("[]"),
  },
  (table) => [uniqueIndex("auth_people_subject").on(table.issuer, table.subject)],
);

/**
 * Links that work once. A link lets somebody set a password, as a new person (an invitation) or as a known one, or signs a known person in.
 */
export const authInvitations = sqliteTable(
  "auth_invitations",
  {
    /** Base64 of the SHA-256 of the link's token; for a link that signs in, `sign-in:` stands before it. */
    hash: text("hash").primaryKey(),
    /** The e-mail address of the person; empty if the person chooses it. */
    email: text("email").notNull(),
    /** The scopes that a new person gets, as JSON. */
    scopes: text("scopes").notNull(),
    /** The person whose password the link sets, or whom it signs in; null for an invitation. */
    personId: text("person_id").references(() => authPeople.id, { onDelete: "cascade" }),
    expiresAt: text("expires_at").$type<Timestamp>().notNull(),
    /** Whether the new person gets all scopes of the modules. */
    hasAllScopes: integer("has_all_scopes", { mode: "boolean" }).notNull(),
    /** The client or the person whose loss of scopes ends the link, such as `client:shop`; empty for the first client and for other issuers. */
    maker: text("maker").notNull(),
    /** The authority of the link's maker (`core/authority.ts`), as JSON. */
    authority: text("authority").notNull(),
    /** Patterns of the only ledgers that a new person's tokens reach, as JSON of a list; empty for all. */
    ledgers: text("ledgers").notNull().default("[]"),
  },
  (table) => [
    index("auth_invitations_maker").on(table.maker),
    index("auth_invitations_person").on(table.personId),
    index("auth_invitations_expires").on(table.expiresAt),
  ],
);

/** Sessions of browsers in which people have logged in. */
export const authSessions = sqliteTable(
  "auth_sessions",
  {
    /** Base64 of the SHA-256 of the cookie's value. */
    hash: text("hash").primaryKey(),
    personId: text("person_id")
      .notNull()
      .references(() => authPeople.id, { onDelete: "cascade" }),
    /** When the person has logged in. */
    authenticatedAt: text("authenticated_at").$type<Timestamp>().notNull(),
    /** Base64 of the SHA-256 of the challenge that a new passkey has to sign; null if none was offered. */
    challenge: text("challenge"),
    expiresAt: text("expires_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    index("auth_sessions_person").on(table.personId),
    index("auth_sessions_expires").on(table.expiresAt),
  ],
);
