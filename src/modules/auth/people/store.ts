import { count, eq } from "drizzle-orm";
import type { EndUser } from "./end-user.ts";
import { authPeople } from "./tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { parseJson } from "#platform/json.ts";

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
}

export const toPerson = (row: PersonRow): EndUser => ({
  id: row.id,
  issuer: row.issuer,
  subject: row.subject,
  email: row.email,
  emailVerified: row.emailVerified,
  name: row.name,
  scopes: parseJson(row.scopes) as string[], // the column holds what was written there
});
