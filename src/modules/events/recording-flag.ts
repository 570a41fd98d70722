import { eventRecordings } from "./tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";

/** Tells the consumers of events whether anybody listens, for the price of one read. */
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
