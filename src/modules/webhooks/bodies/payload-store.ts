import { sql } from "drizzle-orm";
import { compressBody, decompressBody } from "./body-compression.ts";
import { webhookPayloads } from "#modules/webhooks/tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { packJson } from "#platform/db/pack-json.ts";
import { stringifyJson } from "#platform/json.ts";

/** How long a body is kept that was stored, whatever becomes of it, in milliseconds: its message may be under way for so long. */
const KEPT_MS_MIN = 24 * 3_600_000;

/** When bodies are stored, and until when they are kept before anybody is asked, in milliseconds since the epoch. */
export interface StoredTimes {
  readonly nowMs: number;
  readonly keepUntilMs: number;
}

/** A body whose time is over. */
export interface DueBody {
  readonly eventId: string;
  readonly createdMs: number;
}

/**
 * The bodies of events that no log tells again: those of modules whose data is in D1. Each is stored once, however many
 * endpoints get it. `payload-purge.ts` says how long it stays.
 */
export class PayloadStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  static from(env: Pick<Env, "DB">): PayloadStore {
    return new PayloadStore(databaseOf(env));
  }

  /** Stores bodies by the ids of their events. One that is there stays, and is kept for a day at least: its event has come again. */
  async insert(
    bodies: ReadonlyMap<string, string>,
    { nowMs, keepUntilMs }: StoredTimes,
  ): Promise<void> {
    const untilMs = Math.max(keepUntilMs, nowMs + KEPT_MS_MIN);
    // JSON has no bytes, so that they cross as hexadecimal digits both ways.
    const entries = [...bodies].map(([id, body]) =>
      stringifyJson([id, compressBody(body).toString("hex")]),
    );
    for (const pack of packJson(entries)) {
      await this.#db.run(sql`
        INSERT INTO ${webhookPayloads} (event_id, body, created_ms, keep_until_ms)
        SELECT value ->> 0, unhex(value ->> 1), ${nowMs}, ${untilMs} FROM json_each(${pack}) WHERE true
        ON CONFLICT (event_id) DO UPDATE SET keep_until_ms = excluded.keep_until_ms
        WHERE keep_until_ms < ${nowMs + KEPT_MS_MIN}`);
    }
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

  /** The bodies whose time is over, the longest first. */
  listDue(nowMs: number, limit: number): Promise<DueBody[]> {
    return this.#db.all<DueBody>(sql`
      SELECT event_id AS eventId, created_ms AS createdMs FROM ${webhookPayloads}
      WHERE keep_until_ms <= ${nowMs} ORDER BY keep_until_ms LIMIT ${limit}`);
  }

  /** Those of some events for which a batch of events waits whose lane did not take it. */
  async owedAmong(eventIds: readonly string[]): Promise<string[]> {
    const rows = await this.#db.all<{ id: string }>(sql`
      SELECT DISTINCT e.value ->> 'position' AS id FROM webhook_owed AS o, json_each(o.batch, '$.events') AS e
      WHERE e.value ->> 'position' IN (SELECT value FROM json_each(${stringifyJson(eventIds)}))`);
    return rows.map(({ id }) => id);
  }

  /** Keeps bodies until a time of their own, in milliseconds since the epoch. */
  async keep(until: ReadonlyMap<string, number>): Promise<void> {
    const entries = [...until].map((entry) => stringifyJson(entry));
    for (const pack of packJson(entries)) {
      await this.#db.run(sql`
        UPDATE ${webhookPayloads} SET keep_until_ms = max(keep_until_ms, kept.until)
        FROM (SELECT value ->> 0 AS id, value ->> 1 AS until FROM json_each(${pack})) AS kept
        WHERE event_id = kept.id`);
    }
  }

  /** Removes bodies whose time is over still: an event that has come again meanwhile keeps its own. */
  async remove(eventIds: readonly string[], nowMs: number): Promise<void> {
    await this.#db.run(sql`
      DELETE FROM ${webhookPayloads}
      WHERE event_id IN (SELECT value FROM json_each(${stringifyJson(eventIds)})) AND keep_until_ms <= ${nowMs}`);
  }

  /** When the time of a body is over next, in milliseconds since the epoch. */
  async nextDueMs(): Promise<number | undefined> {
    const [row] = await this.#db.all<{ due: number | null }>(
      sql`SELECT min(keep_until_ms) AS due FROM ${webhookPayloads}`,
    );
    return row?.due ?? undefined;
  }
}
