import { inArray, lt, sql } from "drizzle-orm";
import { compressBody, decompressBody } from "./body-compression.ts";
import { webhookPayloads } from "./tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { packJson } from "#platform/db/pack-json.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * The bodies of events that no log tells again: those of modules whose data is in D1. Each is stored once, however many
 * endpoints get it, and stays as long as a delivery of it can be replayed: a replay keeps a delivery for longer, and its body too.
 */
export class PayloadStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  static from(env: Pick<Env, "DB">): PayloadStore {
    return new PayloadStore(databaseOf(env));
  }

  /** Stores bodies by the ids of their events. One that is there already stays. */
  async insert(bodies: ReadonlyMap<string, string>, now: Timestamp): Promise<void> {
    // JSON has no bytes, so that they cross as hexadecimal digits both ways.
    const entries = [...bodies].map(([id, body]) =>
      stringifyJson([id, compressBody(body).toString("hex")]),
    );
    for (const pack of packJson(entries)) {
      await this.#db.run(sql`
        INSERT INTO ${webhookPayloads} (event_id, body, created_at)
        SELECT value ->> 0, unhex(value ->> 1), ${now} FROM json_each(${pack}) WHERE true
        ON CONFLICT DO NOTHING`);
    }
  }

  /** Keeps bodies as if they were stored now. Those of events that are elsewhere are passed over. */
  async renew(eventIds: readonly string[], now: Timestamp): Promise<void> {
    await this.#db.run(sql`
      UPDATE ${webhookPayloads} SET created_at = ${now}
      WHERE event_id IN (SELECT value FROM json_each(${stringifyJson(eventIds)})) AND created_at < ${now}`);
  }

  async read(eventIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const ids = sql`(SELECT value FROM json_each(${stringifyJson(eventIds)}))`;
    const rows = await this.#db
      .select({
        eventId: webhookPayloads.eventId,
        digits: sql<string>`hex(${webhookPayloads.body})`,
      })
      .from(webhookPayloads)
      .where(sql`${webhookPayloads.eventId} IN ${ids}`);
    return new Map(
      rows.map(({ eventId, digits }) => [eventId, decompressBody(Buffer.from(digits, "hex"))]),
    );
  }

  /** Removes up to `limit` bodies that were stored or renewed before a time; returns how many there were. */
  async purge(before: Timestamp, limit: number): Promise<number> {
    const old = this.#db
      .select({ eventId: webhookPayloads.eventId })
      .from(webhookPayloads)
      .where(lt(webhookPayloads.createdAt, before))
      .limit(limit);
    const removed = await this.#db
      .delete(webhookPayloads)
      .where(inArray(webhookPayloads.eventId, old))
      .returning({ eventId: webhookPayloads.eventId });
    return removed.length;
  }

  /** When the oldest body was stored or renewed. */
  async oldest(): Promise<Timestamp | undefined> {
    const [row] = await this.#db
      .select({ createdAt: webhookPayloads.createdAt })
      .from(webhookPayloads)
      .orderBy(webhookPayloads.createdAt)
      .limit(1);
    return row?.createdAt;
  }
}
