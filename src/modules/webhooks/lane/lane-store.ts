import { type DeliveryResult, storeDeliveryResults } from "./delivery-results.ts";
import {
  type InsertedDeliveries,
  insertDeliveries,
  spansWithin,
  toSpan,
} from "./insert-deliveries.ts";
import type { LaneClockState } from "./lane-clock.ts";
import { LANE_TABLES, OUTBOX_ORIGIN, PENDING } from "./lane-tables.ts";
import { ReceivedRanges } from "./received-ranges.ts";
import type { BreakerState } from "#modules/webhooks/core/breaker.ts";
import type { LaneSpec, EventBatch, EventOrigin } from "#modules/webhooks/core/lane.ts";
import { parseColumns, parseJson, stringifyJson } from "#platform/json.ts";
import { first, type Sql, type SqlValue } from "#platform/sql/sql.ts";
import { hasSteps } from "#platform/sql/table-steps.ts";

/** The stored state of a lane besides its deliveries. */
export interface LaneState {
  readonly spec: LaneSpec;
  readonly breaker: BreakerState;
  readonly clock: LaneClockState;
  /** Every delivery before this number was attempted at least once or has ended. */
  readonly head: number;
}

/** A delivery that is chosen for its next attempt. */
export interface DueDelivery {
  readonly seq: number;
  readonly origin: number;
  readonly position: number | string;
  readonly eventType: string;
  readonly idempotencyKey: string;
  readonly attempts: number;
  readonly generation: number;
  readonly waitedMs: number;
  /** What has caused the event; null where it is not known. */
  readonly cause: string | null;
  /** Whether the delivery was never attempted and has no later date. */
  readonly isFresh: boolean;
}

/** Numbers of deliveries from `from` inclusive to `to` exclusive, of one origin if it is given. */
export interface FreshRange {
  readonly from: number;
  readonly to?: number;
  readonly origin?: number;
}

/** Deliveries and origins that are left out when deliveries are chosen. */
export interface ExcludedDeliveries {
  readonly seqs: readonly number[];
  readonly origins: readonly number[];
}

type LaneRow = { spec: string; breaker: string; offset_ms: number; last_ms: number; head: number };
type DueRow = readonly [
  seq: number,
  origin: number,
  position: number | string,
  eventType: string,
  hasKey: number,
  attempts: number,
  generation: number,
  waitedMs: number,
  cause: string | null,
];

/** The deliveries of one endpoint, on the SQL of its object. */
export class LaneStore {
  readonly #sql: Sql;
  readonly #received: ReceivedRanges;
  readonly #names = new Map<string, number>();
  readonly #origins = new Map<string, number>();

  constructor(sql: Sql) {
    this.#sql = sql;
    if (hasSteps(sql)) LANE_TABLES.migrateToEnd(sql);
    this.#received = new ReceivedRanges(sql);
  }

  /** Makes the tables and stores the first state. */
  create(state: LaneState): void {
    this.#sql.transaction(() => {
      LANE_TABLES.migrateToEnd(this.#sql);
      this.#sql.all(
        `INSERT INTO lane (one, spec, breaker, offset_ms, last_ms, head, purged_ms)
         VALUES (1, ?, ?, ?, ?, ?, ?)`,
        stringifyJson(state.spec),
        stringifyJson(state.breaker),
        state.clock.offsetMs,
        state.clock.lastMs,
        state.head,
        state.clock.lastMs - state.clock.offsetMs,
      );
    });
  }

  /** The stored state; undefined if the object has no config yet. */
  readState(): LaneState | undefined {
    if (!hasSteps(this.#sql)) return undefined;
    const row = first(
      this.#sql.all<LaneRow>("SELECT spec, breaker, offset_ms, last_ms, head FROM lane"),
    );
    return {
      spec: parseJson(row.spec) as LaneSpec, // `create` or `writeSpec` has stored it
      breaker: parseJson(row.breaker) as BreakerState, // `create` or `writeProgress` has stored it
      clock: { offsetMs: row.offset_ms, lastMs: row.last_ms },
      head: row.head,
    };
  }

  writeSpec(spec: LaneSpec): void {
    this.#sql.all("UPDATE lane SET spec = ?", stringifyJson(spec));
  }

  /** Stores breaker, clock and head. The head never decreases: a deactivation may have advanced it further than the lane knows. */
  writeProgress({ breaker, clock, head }: Omit<LaneState, "spec">): void {
    this.#sql.all(
      "UPDATE lane SET breaker = ?, offset_ms = ?, last_ms = ?, head = max(head, ?)",
      stringifyJson(breaker),
      clock.offsetMs,
      clock.lastMs,
      head,
    );
  }

  /** When a purge was last completed, by the machine's clock; before the first one, when the lane was made. */
  purgedMs(): number {
    return first(this.#sql.all<{ purged_ms: number }>("SELECT purged_ms FROM lane")).purged_ms;
  }

  writePurged(wallMs: number): void {
    this.#sql.all("UPDATE lane SET purged_ms = ?", wallMs);
  }

  /** The last number that is taken, by the newest delivery or by one of the original of a copy; 0 if there is none. */
  lastSeq(): number {
    return first(
      this.#sql.all<{ seq: number }>(
        "SELECT max(numbered_to, coalesce((SELECT max(seq) FROM delivery), 0)) AS seq FROM lane",
      ),
    ).seq;
  }

  /**
   * Stores the new events of a batch, numbered behind `afterSeq`, as pending and due at once. Creation dates never decrease, even
   * if the clock steps back, so that deliveries sort by date as by number.
   */
  insert(
    batch: EventBatch,
    { afterSeq, nowMs }: { afterSeq: number; nowMs: number },
  ): InsertedDeliveries {
    const origin = this.#originOf(batch.origin);
    const fresh =
      batch.range === undefined
        ? batch.events.map(toSpan)
        : spansWithin(batch, this.#received.add(origin, batch.range));
    if (fresh.length === 0) return { events: new Map(), lastSeq: afterSeq };
    const [last] = this.#sql.all<{ created_ms: number }>(
      "SELECT created_ms FROM delivery ORDER BY seq DESC LIMIT 1",
    );
    return insertDeliveries(this.#sql, fresh, {
      origin,
      afterSeq,
      createdMs: Math.max(nowMs, last?.created_ms ?? 0),
      nameId: (name) => this.#nameId(name),
    });
  }

  /** Deliveries of a range that were never attempted, except some; oldest first. */
  listFresh(
    { from, to, origin }: FreshRange,
    limit: number,
    except: ExcludedDeliveries,
  ): DueDelivery[] {
    const ofOrigin = origin === undefined ? "" : "AND origin = ?";
    return this.#listChosen(
      `SELECT * FROM delivery
       WHERE seq >= ? AND seq < ? AND status = ${PENDING} AND due_ms IS NULL ${ofOrigin} ${EXCEPT}
       ORDER BY seq LIMIT ? + 0`,
      [
        from,
        to ?? Number.MAX_SAFE_INTEGER,
        ...(origin === undefined ? [] : [origin]),
        listText(except.seqs),
        listText(except.origins),
        limit,
      ],
      true,
    );
  }

  /** Deliveries that are due for a retry or a replay, except some, the most overdue first. Only the first `DUE_ROWS_MAX` of them are considered. */
  listDue(laneMs: number, limit: number, except: ExcludedDeliveries): DueDelivery[] {
    return this.#listChosen(
      `SELECT * FROM (
         SELECT * FROM delivery INDEXED BY delivery_due
         WHERE status = ${PENDING} AND due_ms IS NOT NULL AND due_ms <= ?
         ORDER BY due_ms, seq LIMIT ${DUE_ROWS_MAX}
       ) WHERE true ${EXCEPT} ORDER BY due_ms, seq LIMIT ? + 0`,
      [laneMs, listText(except.seqs), listText(except.origins), limit],
      false,
    );
  }

  /**
   * The deliveries of a selection. SQLite returns them as one JSON text, because passing each column of each row takes longer
   * than finding them. Idempotency keys, which few deliveries have, may be too long for this text and are read separately.
   */
  #listChosen(selection: string, bindings: readonly SqlValue[], isFresh: boolean): DueDelivery[] {
    const { rows } = first(
      this.#sql.all<{ rows: string }>(
        `SELECT json_group_array(json_array(${DUE_COLUMNS})) AS rows
         FROM (${selection}) AS chosen CROSS JOIN name ON name.id = chosen.type`,
        ...bindings,
      ),
    );
    const chosen = parseColumns(rows) as DueRow[]; // the statement packs rows in this form
    const keys = this.#keysOf(chosen.flatMap(([seq, , , , hasKey]) => (hasKey === 1 ? seq : [])));
    return chosen.map(
      ([
        seq,
        origin,
        position,
        eventType,
        ,
        attempts,
        generation,
        waitedMs,
        cause,
      ]): DueDelivery => ({
        seq,
        origin,
        position,
        isFresh,
        attempts,
        generation,
        eventType,
        idempotencyKey: keys.get(seq) ?? "",
        waitedMs,
        cause,
      }),
    );
  }

  #keysOf(seqs: readonly number[]): ReadonlyMap<number, string> {
    if (seqs.length === 0) return new Map();
    const rows = this.#sql.all<{ seq: number; key: string }>(
      "SELECT seq, key FROM delivery WHERE seq IN (SELECT value FROM json_each(?))",
      listText(seqs),
    );
    return new Map(rows.map(({ seq, key }) => [seq, key]));
  }

  /** Postpones the deliveries of some origins that are due, among the rows that `listDue` considers. */
  defer(laneMs: number, untilMs: number, origins: readonly number[]): void {
    this.#sql.all(
      `UPDATE delivery SET due_ms = ? WHERE seq IN (
         SELECT seq FROM (
           SELECT seq, origin FROM delivery INDEXED BY delivery_due
           WHERE status = ${PENDING} AND due_ms IS NOT NULL AND due_ms <= ?
           ORDER BY due_ms, seq LIMIT ${DUE_ROWS_MAX})
         WHERE origin IN (SELECT value FROM json_each(?)))`,
      untilMs,
      laneMs,
      listText(origins),
    );
  }

  /** Corrects due times that no wait can have planned, because the machine's clock was far ahead when they were stored. */
  clampDue(latestMs: number): void {
    this.#sql.all(
      `UPDATE delivery SET due_ms = ? WHERE seq IN (
         SELECT seq FROM delivery INDEXED BY delivery_due
         WHERE status = ${PENDING} AND due_ms IS NOT NULL AND due_ms > ?)`,
      latestMs,
      latestMs,
    );
  }

  /** When the next retry or replay is due at or after a time, by the lane's clock; undefined if there is none. */
  earliestDueMs(fromMs: number): number | undefined {
    const [row] = this.#sql.all<{ due_ms: number }>(
      `SELECT due_ms FROM delivery INDEXED BY delivery_due
       WHERE status = ${PENDING} AND due_ms IS NOT NULL AND due_ms >= ? ORDER BY due_ms LIMIT 1`,
      fromMs,
    );
    return row?.due_ms;
  }

  /** The origin with a number. */
  originOf(id: number): EventOrigin {
    if (id === OUTBOX_ORIGIN) return { source: "outbox" };
    const { ledger, uuid } = first(
      this.#sql.all<{ ledger: string; uuid: string }>(
        "SELECT ledger, uuid FROM origin WHERE id = ?",
        id,
      ),
    );
    return { source: "ledger", ledger, uuid };
  }

  /** Stores the results of deliveries. Callers put all of them into one transaction. `wallMs` is the time of the change. */
  settle(results: readonly DeliveryResult[], wallMs: number): void {
    storeDeliveryResults(this.#sql, results, { wallMs, nameId: (name) => this.#nameId(name) });
  }

  /** Clears the numbers that are held in memory. Callers call it after a rollback, which may have removed some of them. */
  forget(): void {
    this.#names.clear();
    this.#origins.clear();
  }

  #nameId(name: string): number {
    return this.#memo(this.#names, name, () => {
      this.#sql.all("INSERT OR IGNORE INTO name (name) VALUES (?)", name);
      return first(this.#sql.all<{ id: number }>("SELECT id FROM name WHERE name = ?", name)).id;
    });
  }

  #originOf(origin: EventOrigin): number {
    if (origin.source === "outbox") return OUTBOX_ORIGIN;
    const { ledger, uuid } = origin;
    return this.#memo(this.#origins, uuid, () => {
      this.#sql.all(
        "INSERT OR IGNORE INTO origin (source, ledger, uuid) VALUES ('ledger', ?, ?)",
        ledger,
        uuid,
      );
      return first(this.#sql.all<{ id: number }>("SELECT id FROM origin WHERE uuid = ?", uuid)).id;
    });
  }

  #memo(known: Map<string, number>, key: string, read: () => number): number {
    const id = known.get(key) ?? read();
    if (known.size >= NAMES_MAX) known.clear();
    known.set(key, id);
    return id;
  }
}

/** Most names, and most origins, whose numbers are held in memory. */
const NAMES_MAX = 1000;

/** Most due deliveries that one choice considers. */
const DUE_ROWS_MAX = 1000;

const EXCEPT = `AND seq NOT IN (SELECT value FROM json_each(?))
  AND origin NOT IN (SELECT value FROM json_each(?))`;

const DUE_COLUMNS =
  "seq, origin, position, name.name, key IS NOT NULL, attempts, generation, waited_ms, cause";

/** The numbers as a JSON list. */
const listText = (numbers: readonly number[]): string => `[${numbers.join(",")}]`;
