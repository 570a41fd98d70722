import { type SQL, sql } from "drizzle-orm";
import type { PlatformEvent } from "./envelope.ts";
import { outbox } from "./tables.ts";
import type { Database } from "#platform/db/database.ts";
import { type Guard, guardedRows } from "#platform/db/guarded-rows.ts";
import { columnValues, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** An event to store, with its order and its guard. */
export interface OutboxEvent {
  readonly event: PlatformEvent;
  /** The key of the order. Consumers get an event after the earlier events of its key; events without a key have no order. */
  readonly orderKey?: string;
  /** The guard that names the event's change, for the condition of a publication: `guardParts` of `platform/db/guarded-rows.ts`. */
  readonly guard?: Guard;
}

/** An event that is not confirmed yet. */
export interface UnconfirmedEvent {
  readonly id: string;
  readonly attempts: number;
}

/** A row of the outbox. */
export interface StoredEvent extends UnconfirmedEvent {
  /** The place of the event in the order in which events were stored. */
  readonly sequence: number;
  readonly orderKey: string | null;
  /** JSON of the whole event. */
  readonly text: string;
}

/** Most ids that one statement names: a parameter of D1 may have 2 MB. */
const IDS_PER_STATEMENT_MAX = 1000;

/** Ids in parts that one statement can name. */
export function* idParts(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT_MAX) {
    yield ids.slice(at, at + IDS_PER_STATEMENT_MAX);
  }
}

/** Most rows and bytes of one read: a row may have half a megabyte. */
const READ_COUNT_MAX = 200;
const READ_BYTES_MAX = 4_000_000;

/** The table of events in D1. */
export class OutboxStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * The statement that stores events, for the batch of their change. The statement skips events whose ids are stored already and returns
   * the ids of the others. With a condition, which sees the effects of the earlier statements of the batch, it stores the events for which
   * the condition holds. All events are in one statement, so that they are stored together or not at all.
   */
  insert(events: readonly OutboxEvent[], announceAt: Timestamp, condition: SQL = sql`1`) {
    const { source, items } = guardedRows(events.map(toRow));
    const values = columnValues(outbox, { ...items, sequence: null, attempts: 0, announceAt });
    return this.#db
      .insert(outbox)
      .select(sql`SELECT ${values} FROM ${source} WHERE ${condition} ORDER BY ${ROW_ORDER}`)
      .onConflictDoNothing()
      .returning({ id: outbox.id });
  }

  /**
   * A part of the stored events with these ids, and of the earlier events of their keys, in the order of their sequence, which begins
   * behind `after`. `isAll` tells whether the part is the last one.
   */
  async read(
    ids: readonly string[],
    after: number,
  ): Promise<{ events: StoredEvent[]; isAll: boolean }> {
    const rows = await this.#db.all<
      Omit<StoredEvent, "text"> & { readonly text: string | null }
    >(sql`
      WITH
        wanted AS (
          SELECT sequence, order_key FROM outbox WHERE id IN (SELECT value FROM json_each(${stringifyJson(ids)}))),
        listed AS (
          SELECT sequence FROM wanted WHERE sequence > ${after}
          UNION
          SELECT o.sequence FROM wanted w JOIN outbox o
            ON o.order_key = w.order_key AND o.sequence < w.sequence AND o.sequence > ${after}
          ORDER BY sequence LIMIT ${READ_COUNT_MAX + 1}),
        measured AS (
          SELECT sequence, id, order_key, attempts, event, row_number() OVER (ORDER BY sequence) AS place,
            sum(length(event)) OVER (ORDER BY sequence) - length(event) AS before
          FROM listed JOIN outbox USING (sequence))
      SELECT sequence, id, order_key AS orderKey, attempts,
        CASE WHEN place <= ${READ_COUNT_MAX} AND before < ${READ_BYTES_MAX} THEN event END AS text
      FROM measured ORDER BY sequence`);
    const events = rows.flatMap(({ text, ...row }) => (text === null ? [] : [{ ...row, text }]));
    return { events, isAll: events.length === rows.length };
  }

  /** Deletes events whose effects are stored. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const part of idParts(ids)) {
      await this.#db.run(
        sql`DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(${stringifyJson(part)}))`,
      );
    }
  }

  /** Takes an event out of the order of its key, and raises its count of announcements to at least `attempts`. */
  async park(id: string, attempts: number): Promise<void> {
    await this.#db.run(
      sql`UPDATE outbox SET order_key = NULL, attempts = max(attempts, ${attempts}) WHERE id = ${id}`,
    );
  }

  /** The events that are due for a repeated announcement, longest due first. */
  async listDue(nowMs: number, limit: number): Promise<UnconfirmedEvent[]> {
    return this.#db.all<UnconfirmedEvent>(sql`
      SELECT id, attempts FROM outbox WHERE announce_at <= ${fromMillis(nowMs)}
      ORDER BY announce_at, sequence LIMIT ${limit}`);
  }

  /**
   * Claims events for their next announcement. If two callers compete, each event goes to one of them. Returns the ids
   * that this caller got.
   */
  async claim(due: readonly (UnconfirmedEvent & { readonly nextMs: number })[]): Promise<string[]> {
    const { source, items } = jsonRows(
      due.map(({ id, attempts, nextMs }) => ({ id, attempts, next: fromMillis(nextMs) })),
    );
    const claimed = await this.#db.all<{ id: string }>(sql`
      UPDATE outbox SET attempts = attempts + 1, announce_at = ${items.next} FROM ${source}
      WHERE outbox.id = ${items.id} AND attempts = ${items.attempts}
      RETURNING outbox.id`);
    return claimed.map(({ id }) => id);
  }

  /** The time at which the next event is due, in milliseconds since the epoch; undefined if the outbox is empty. */
  async nextDueMs(): Promise<number | undefined> {
    const [row] = await this.#db.all<{ due: Timestamp | null }>(
      sql`SELECT min(announce_at) AS due FROM outbox`,
    );
    return row?.due ? toMillis(row.due) : undefined;
  }
}

const toRow = ({ event, orderKey, guard = {} }: OutboxEvent) => ({
  guard,
  columns: { id: event.id, orderKey: orderKey ?? null, event: stringifyJson(event) },
});
