import { count, eq, type SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { EndUser } from "./end-user.ts";
import { authInvitations, authPeople } from "./tables.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
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

  /** Whether there was such a person. A link with which the person could have set a password is no longer good. */
  async setScopes(id: string, scopes: readonly string[], change: AuditedChange): Promise<boolean> {
    const changed = await change.store(
      this.#db
        .update(authPeople)
        .set({ scopes: stringifyJson(scopes) })
        .where(eq(authPeople.id, id))
        .returning({ id: authPeople.id }),
      // Who has made it may not have been allowed to give these scopes.
      this.#db.delete(authInvitations).where(eq(authInvitations.personId, id)),
    );
    return changed.length > 0;
  }

  /** Deletes a person, and the sessions with it. What follows from that is stored in the same batch. */
  async delete(
    id: string,
    change: AuditedChange,
    consequences: readonly BatchItem<"sqlite">[],
  ): Promise<void> {
    await change.store(this.#db.delete(authPeople).where(eq(authPeople.id, id)), ...consequences);
  }
}

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
  scopes: parseJson(row.scopes) as string[], // the column holds what was written there
});
