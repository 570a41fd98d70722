import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** The people who can log in. */
export const authPeople = sqliteTable(
  "auth_people",
  {
    /** People are listed in the order in which they came. */
    sequence: integer("sequence").primaryKey({ autoIncrement: true }),
    /** The `sub` of their tokens. */
    id: text("id").notNull().unique(),
    /** The provider at which they log in; empty for our own login page. */
    issuer: text("issuer").notNull(),
    /** Who they are for that provider; their id here if it is our own login page. */
    subject: text("subject").notNull(),
    email: text("email").notNull(),
    emailVerified: integer("email_verified", { mode: "boolean" }).notNull(),
    /** Empty if it is not known. */
    name: text("name").notNull(),
    /** The scopes that their tokens may have, as a JSON text. */
    scopes: text("scopes").notNull(),
    /** The e-mail address in the form in which our own login page compares it; null for people of another provider. */
    login: text("login").unique(),
    /** The hash of the password for our own login page, with its salt and parameters. */
    password: text("password"),
    /** Whether the person was given all scopes of the modules, and so has those that a later release adds. */
    hasAllScopes: integer("has_all_scopes", { mode: "boolean" }).notNull().default(false),
    /**
     * What whoever has made the last link could do by which a password was set (`core/authority.ts`), as a JSON text. Passkeys and
     * sessions go back to it, as such a password ends all others. Null where another provider says who the person is.
     */
    vouchedBy: text("vouched_by"),
    /** Another text after each change of what the person may do, or of who vouches for the credentials. */
    version: text("version").notNull().default(""),
  },
  (table) => [uniqueIndex("auth_people_subject").on(table.issuer, table.subject)],
);

/** Links with which whoever opens one of them chooses a password, once: as a new person, or as one who is there already. */
export const authInvitations = sqliteTable(
  "auth_invitations",
  {
    /** SHA-256 of the token in the link. */
    hash: text("hash").primaryKey(),
    /** The e-mail address of the person; empty if the person chooses it. */
    email: text("email").notNull(),
    /** The scopes that a new person gets, as a JSON text. */
    scopes: text("scopes").notNull(),
    /** Whose password it sets; null where it makes a new person. */
    personId: text("person_id").references(() => authPeople.id, { onDelete: "cascade" }),
    expiresAt: text("expires_at").$type<Timestamp>().notNull(),
    /** Whether the new person gets all scopes of the modules. */
    hasAllScopes: integer("has_all_scopes", { mode: "boolean" }).notNull(),
    /** The client or the person with whose scopes it ends, such as `client:shop`; empty for the first client and for other issuers. */
    maker: text("maker").notNull(),
    /** What whoever has made it could do (`core/authority.ts`), as a JSON text. */
    authority: text("authority").notNull(),
  },
  (table) => [
    index("auth_invitations_maker").on(table.maker),
    index("auth_invitations_person").on(table.personId),
    index("auth_invitations_expires").on(table.expiresAt),
  ],
);

/** Browsers in which somebody has logged in. */
export const authSessions = sqliteTable(
  "auth_sessions",
  {
    /** SHA-256 of the cookie's value. */
    hash: text("hash").primaryKey(),
    personId: text("person_id")
      .notNull()
      .references(() => authPeople.id, { onDelete: "cascade" }),
    /** When the person proved who it is. */
    authenticatedAt: text("authenticated_at").$type<Timestamp>().notNull(),
    /** SHA-256 of what a new passkey has to sign; null where none was offered. */
    challenge: text("challenge"),
    expiresAt: text("expires_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    index("auth_sessions_person").on(table.personId),
    index("auth_sessions_expires").on(table.expiresAt),
  ],
);
