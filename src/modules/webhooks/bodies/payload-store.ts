import { sql } from "drizzle-orm";
import { compressBody, decompressBody } from "./body-compression.ts";
import { webhookPayloads } from "#modules/webhooks/tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { jsonRowParts } from "#platform/db/json-rows.ts";
import { stringifyJson } from "#platform/json.ts";

/** Shortest time for which a stored body is kept, in milliseconds: the message of its event may be under way for as long. */
const KEPT_MS_MIN = 24 * 3_600_000;

/** When bodies are stored, and until when they are kept without a question to any lane, in milliseconds since the epoch. */
export interface StoredTimes {
  readonly nowMs: number;
  readonly keepUntilMs: number;
}

/** A body that a purge looks at, because its `keep_until_ms` has passed. */
export interface DueBody {
  readonly eventId: string;
  readonly createdMs: number;
}

/**
 * The bodies of events of the outbox, which no log can produce again. Each body is stored once for all endpoints;
 * `payload-purge.ts` draws how long it is kept.
 */
export class PayloadStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  static from(env: Pick<Env, "DB">): PayloadStore {
    return new PayloadStore(databaseOf(env));
  }

  /**
   * Stores bodies by the ids of their events. A body that is stored already stays as it is and is kept for at least another day,
   * because its event has come again.
   */
  async insert(
    bodies: ReadonlyMap<string, string>,
    { nowMs, keepUntilMs }: StoredTimes,
  ): Promise<void> {
    const untilMs = Math.max(keepUntilMs, nowMs + KEPT_MS_MIN);
    // JSON has no bytes, so bodies are passed to and from SQL as hexadecimal digits.
    const rows = Array.from(bodies, ([eventId, body]) => ({
      eventId,
      digits: compressBody(body).toString("hex"),
    }));
    for (const { source, items } of jsonRowParts(rows)) {
      await this.#db.run(sql`
        INSERT INTO ${webhookPayloads} (event_id, body, created_ms, keep_until_ms)
        SELECT ${items.eventId}, unhex(${items.digits}), ${nowMs}, ${untilMs} FROM ${source} WHERE true
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

  /** The bodies to purge, the most overdue first. */
  listDue(nowMs: number, limit: number): Promise<DueBody[]> {
    return this.#db.all<DueBody>(sql`
      SELECT event_id AS eventId, created_ms AS createdMs FROM ${webhookPayloads}
      WHERE keep_until_ms <= ${nowMs} ORDER BY keep_until_ms LIMIT ${limit}`);
  }

  /** The ids among `eventIds` that a stored batch still owes to a lane. */
  async owedAmong(eventIds: readonly string[]): Promise<string[]> {
    const rows = await this.#db.all<{ id: string }>(sql`
      SELECT DISTINCT e.value ->> 'position' AS id FROM webhook_owed AS o, json_each(o.batch, '$.events') AS e
      WHERE e.value ->> 'position' IN (SELECT value FROM json_each(${stringifyJson(eventIds)}))`);
    return rows.map(({ id }) => id);
  }

  /** Keeps bodies until the given times, in milliseconds since the epoch, by event id. A later time that is stored already stays. */
  async keep(until: ReadonlyMap<string, number>): Promise<void> {
    const rows = Array.from(until, ([eventId, untilMs]) => ({ eventId, untilMs }));
    for (const { source, items } of jsonRowParts(rows)) {
      await this.#db.run(sql`
        UPDATE ${webhookPayloads} SET keep_until_ms = max(keep_until_ms, ${items.untilMs})
        FROM ${source} WHERE event_id = ${items.eventId}`);
    }
  }

  /** Removes bodies unless they were given more time meanwhile, which happens when their event comes again. */
  async remove(eventIds: readonly string[], nowMs: number): Promise<void> {
    await this.#db.run(sql`
      DELETE FROM ${webhookPayloads}
      WHERE event_id IN (SELECT value FROM json_each(${stringifyJson(eventIds)})) AND keep_until_ms <= ${nowMs}`);
  }

  /** When the next body is to be purged, in milliseconds since the epoch. */
  async nextDueMs(): Promise<number | undefined> {
    const [row] = await this.#db.all<{ due: number | null }>(
      sql`SELECT min(keep_until_ms) AS due FROM ${webhookPayloads}`,
    );
    return row?.due ?? undefined;
  }
}
