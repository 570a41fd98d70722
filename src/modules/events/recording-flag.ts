import { eventRecordings } from "./tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";

/** The row in D1 that tells consumers whether events are recorded. Reading it is one query. */
export class RecordingFlag {
  readonly #db: Database;

  constructor(env: Pick<Env, "DB">) {
    this.#db = databaseOf(env);
  }

  async isSet(): Promise<boolean> {
    const rows = await this.#db.select().from(eventRecordings).limit(1);
    return rows.length > 0;
  }

  async set(): Promise<void> {
    await this.#db.insert(eventRecordings).values({ id: 1 }).onConflictDoNothing();
  }

  async clear(): Promise<void> {
    await this.#db.delete(eventRecordings);
  }
}
