import { and, count, eq, type SQL, sql } from "drizzle-orm";
import { authInvitations, authPeople } from "./tables.ts";
import {
  type ConditionalChange,
  hasUnchangedAuthority,
} from "#modules/auth/authority/conditions.ts";
import { fromAuthorityColumn, namedScopes } from "#modules/auth/authority/stored-authority.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

type PersonRow = typeof authPeople.$inferSelect;

/** The people of a deployment, in D1. */
export class PeopleStore {
  readonly #db: Database;

  constructor(env: Pick<Env, "DB">) {
    this.#db = databaseOf(env);
  }

  async list(): Promise<EndUser[]> {
    return (await this.#db.select().from(authPeople).orderBy(authPeople.sequence)).map(toPerson);
  }

  async count(): Promise<number> {
    const [row] = await this.#db.select({ count: count() }).from(authPeople);
    return row?.count ?? 0;
  }

  async find(id: string): Promise<EndUser | undefined> {
    const [row] = await this.#db.select().from(authPeople).where(eq(authPeople.id, id));
    return row === undefined ? undefined : toPerson(row);
  }

  /** The person who logs in at our own page with an e-mail address, and the hash of the password; undefined if nobody does. */
  async findLogin(email: string): Promise<{ id: string; password: string } | undefined> {
    const [row] = await this.#db
      .select({ id: authPeople.id, password: authPeople.password })
      .from(authPeople)
      .where(eq(authPeople.login, loginOf(email)));
    if (row === undefined || row.password === null) return undefined;
    return { id: row.id, password: row.password };
  }

  /** Whether somebody of our own login page has an e-mail address. */
  async hasLogin(email: string): Promise<boolean> {
    const [row] = await this.#db
      .select({ id: authPeople.id })
      .from(authPeople)
      .where(eq(authPeople.login, loginOf(email)));
    return row !== undefined;
  }

  /** The hash of a person's password; undefined for a person without one. */
  async passwordOf(id: string): Promise<string | undefined> {
    const [row] = await this.#db
      .select({ password: authPeople.password })
      .from(authPeople)
      .where(eq(authPeople.id, id));
    return row?.password ?? undefined;
  }

  /** Replaces the permissions of a person, and deletes the person's links. Returns whether the condition held. */
  async setPermissions(
    { id, scopes, hasAllScopes, ledgers, version }: StoredPermissions,
    { before = [], audited, condition, others = [] }: ConditionalChange,
  ): Promise<boolean> {
    const changed = await audited.storeAfter(
      before,
      this.#db
        .update(authPeople)
        .set({
          scopes: stringifyJson(scopes),
          hasAllScopes,
          ledgers: stringifyJson(ledgers),
          version,
        })
        .where(and(eq(authPeople.id, id), condition))
        .returning({ id: authPeople.id }),
      ...others,
      // The maker of a link may not have been allowed to give these permissions.
      this.#db
        .delete(authInvitations)
        .where(
          and(eq(authInvitations.personId, id), hasUnchangedAuthority(authPeople, { id, version })),
        ),
    );
    return changed.length > 0;
  }

  /**
   * Deletes a person and, by cascade, the sessions; then runs the statements that follow. Returns whether there was a person and
   * the condition held.
   */
  async delete(
    id: string,
    { before = [], audited, condition, others = [] }: ConditionalChange,
  ): Promise<boolean> {
    const deleted = await audited.storeAfter(
      before,
      this.#db
        .delete(authPeople)
        .where(and(eq(authPeople.id, id), condition))
        .returning({ id: authPeople.id }),
      ...others,
    );
    return deleted.length > 0;
  }

  /** Holds when a person is deleted; for statements that follow the deletion in its batch. */
  static isGone(id: string): SQL {
    return sql`NOT EXISTS (SELECT 1 FROM ${authPeople} WHERE ${authPeople.id} = ${id})`;
  }
}

/** New permissions of a person, with a new version. */
export type StoredPermissions = Pick<
  EndUser,
  "id" | "scopes" | "hasAllScopes" | "ledgers" | "version"
>;

/** Holds as long as a person has the password with a hash; for changes that begin with the password. */
export const hasPassword = (hash: string): SQL => eq(authPeople.password, hash);

/** Longest e-mail address, in UTF-16 units. */
export const EMAIL_LENGTH_MAX = 254;

/** Longest name of a person, in UTF-16 units. */
export const PERSON_NAME_LENGTH_MAX = 100;

/** The form in which e-mail addresses are compared. */
export const loginOf = (email: string): string => email.trim().normalize("NFC").toLowerCase();

export const toPerson = (row: PersonRow): EndUser => ({
  id: row.id,
  issuer: row.issuer,
  subject: row.subject,
  email: row.email,
  emailVerified: row.emailVerified,
  name: row.name,
  scopes: namedScopes(parseJson(row.scopes) as string[], row.hasAllScopes), // the column holds JSON of a list
  hasAllScopes: row.hasAllScopes,
  ledgers: parseJson(row.ledgers) as string[], // the column holds JSON of a list
  vouchedBy: row.vouchedBy === null ? undefined : fromAuthorityColumn(row.vouchedBy),
  version: row.version,
});
