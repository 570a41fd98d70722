import { and, count, eq, type SQL, sql } from "drizzle-orm";
import { authInvitations, authPeople } from "./tables.ts";
import { type ConditionalChange, isStill } from "#modules/auth/authority/conditions.ts";
import { fromAuthorityColumn, namedScopes } from "#modules/auth/authority/stored-authority.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

type PersonRow = typeof authPeople.$inferSelect;

/** People, in D1. */
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

  /** Who logs in at our own page with an e-mail address, and the hash of the password. */
  async findLogin(email: string): Promise<{ id: string; password: string } | undefined> {
    const [row] = await this.#db
      .select({ id: authPeople.id, password: authPeople.password })
      .from(authPeople)
      .where(eq(authPeople.login, loginOf(email)));
    if (row === undefined || row.password === null) return undefined;
    return { id: row.id, password: row.password };
  }

  /** The hash of a person's password; undefined for who has none. */
  async passwordOf(id: string): Promise<string | undefined> {
    const [row] = await this.#db
      .select({ password: authPeople.password })
      .from(authPeople)
      .where(eq(authPeople.id, id));
    return row?.password ?? undefined;
  }

  /** Whether the person was changed. A link with which the person could have set a password is no longer good. */
  async setScopes(
    { id, scopes, hasAllScopes, version }: PersonScopes,
    { before = [], audited, condition, others = [] }: ConditionalChange,
  ): Promise<boolean> {
    const changed = await audited.storeAfter(
      before,
      this.#db
        .update(authPeople)
        .set({ scopes: stringifyJson(scopes), hasAllScopes, version })
        .where(and(eq(authPeople.id, id), condition))
        .returning({ id: authPeople.id }),
      ...others,
      // Who has made it may not have been allowed to give these scopes.
      this.#db
        .delete(authInvitations)
        .where(and(eq(authInvitations.personId, id), isStill(authPeople, { id, version }))),
    );
    return changed.length > 0;
  }

  /** Deletes a person, and the sessions with it, then what follows from it. Returns whether there was one, and the condition held. */
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

  /** For what follows from the deletion of a person in its batch. */
  static isGone(id: string): SQL {
    return sql`NOT EXISTS (SELECT 1 FROM ${authPeople} WHERE ${authPeople.id} = ${id})`;
  }
}

/** What a person may do, in another version than before. */
export type PersonScopes = Pick<EndUser, "id" | "scopes" | "hasAllScopes" | "version">;

/** The condition that a person still has the password of a hash, for a change that begins with it. */
export const hasPassword = (hash: string): SQL => eq(authPeople.password, hash);

/** Longest e-mail address, in UTF-16 units. */
export const EMAIL_LENGTH_MAX = 254;

/** The form of an e-mail address in which two of them are compared. */
export const loginOf = (email: string): string => email.trim().normalize("NFC").toLowerCase();

export const toPerson = (row: PersonRow): EndUser => ({
  id: row.id,
  issuer: row.issuer,
  subject: row.subject,
  email: row.email,
  emailVerified: row.emailVerified,
  name: row.name,
  scopes: namedScopes(parseJson(row.scopes) as string[], row.hasAllScopes), // the column holds what was written there
  hasAllScopes: row.hasAllScopes,
  vouchedBy: row.vouchedBy === null ? undefined : fromAuthorityColumn(row.vouchedBy),
  version: row.version,
});
