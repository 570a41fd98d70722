import type { LaneClockState } from "./lane-clock.ts";
import {
  createLaneTables,
  hasLaneTables,
  OUTBOX_ORIGIN,
  OUTCOMES,
  PENDING,
  type StoredStatus,
  statusNumber,
} from "./lane-tables.ts";
import { type EntryRange, ReceivedRanges } from "./received-ranges.ts";
import type { LaneSpec, EventBatch, EventOrigin, OwedEvent } from "./types.ts";
import type { BreakerState } from "#modules/webhooks/core/breaker.ts";
import type { AttemptOutcome } from "#modules/webhooks/core/delivery.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { chunksOf, first, type Sql } from "#platform/sql/sql.ts";

/** What a lane keeps besides its deliveries. */
export interface LaneState {
  readonly spec: LaneSpec;
  readonly breaker: BreakerState;
  readonly clock: LaneClockState;
  /** Deliveries before this number were attempted at least once. */
  readonly head: number;
}

/** A delivery whose turn has come. */
export interface DueDelivery {
  readonly seq: number;
  readonly origin: number;
  readonly position: number | string;
  readonly eventType: string;
  readonly idempotencyKey: string;
  readonly attempts: number;
  readonly generation: number;
  readonly waitedMs: number;
  /** Whether it was never attempted nor put off. */
  readonly isFresh: boolean;
}

/** How the turn of a delivery ended. */
export interface DeliveryResult {
  readonly seq: number;
  readonly status: StoredStatus;
  /** When it is attempted next, by the clock of the lane; only while it is pending. */
  readonly dueMs?: number | undefined;
  /** The waits that were planned so far in this generation. */
  readonly waitedMs: number;
  /** Absent if no call was made. */
  readonly attempt?: AttemptResult;
  /** Why no call was made. */
  readonly error?: string;
}

export interface AttemptResult {
  /** Whether no attempt of the delivery came before, in any generation. */
  readonly isFirst: boolean;
  readonly startedMs: number;
  readonly endpoint: string;
  readonly outcome: AttemptOutcome;
  readonly statusCode: number;
  readonly error?: string;
  readonly responseExcerpt?: string;
  readonly tookMs: number;
  readonly atMs: number;
}

type LaneRow = { spec: string; breaker: string; offset_ms: number; last_ms: number; head: number };
type DueRow = {
  seq: number;
  origin: number;
  position: number | string;
  type: string;
  key: string | null;
  attempts: number;
  generation: number;
  waited_ms: number;
};

/** The deliveries of one endpoint, on the SQL of its object. */
export class LaneStore {
  readonly #sql: Sql;
  readonly #received: ReceivedRanges;
  readonly #names = new Map<string, number>();
  readonly #origins = new Map<string, number>();

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#received = new ReceivedRanges(sql);
  }

  /** Makes the tables where there are none. */
  create(state: LaneState): void {
    this.#sql.transaction(() => {
      createLaneTables(this.#sql);
      this.#sql.all(
        "INSERT INTO lane (one, spec, breaker, offset_ms, last_ms, head) VALUES (1, ?, ?, ?, ?, ?)",
        stringifyJson(state.spec),
        stringifyJson(state.breaker),
        state.clock.offsetMs,
        state.clock.lastMs,
        state.head,
      );
    });
  }

  /** Undefined if the lane has no config yet. */
  readState(): LaneState | undefined {
    if (!hasLaneTables(this.#sql)) return undefined;
    const row = first(
      this.#sql.all<LaneRow>("SELECT spec, breaker, offset_ms, last_ms, head FROM lane"),
    );
    return {
      spec: parseJson(row.spec) as LaneSpec, // what `writeState` has stored
      breaker: parseJson(row.breaker) as BreakerState, // the same
      clock: { offsetMs: row.offset_ms, lastMs: row.last_ms },
      head: row.head,
    };
  }

  writeSpec(spec: LaneSpec): void {
    this.#sql.all("UPDATE lane SET spec = ?", stringifyJson(spec));
  }

  writeProgress({ breaker, clock, head }: Omit<LaneState, "spec">): void {
    this.#sql.all(
      "UPDATE lane SET breaker = ?, offset_ms = ?, last_ms = ?, head = ?",
      stringifyJson(breaker),
      clock.offsetMs,
      clock.lastMs,
      head,
    );
  }

  /** The number of the newest delivery; 0 if there is none. */
  lastSeq(): number {
    return (
      first(this.#sql.all<{ seq: number | null }>("SELECT max(seq) AS seq FROM delivery")).seq ?? 0
    );
  }

  /**
   * Stores the events of a batch that are new, behind `afterSeq`, as pending and due at once. Returns the number of each
   * one. Dates never decrease, whatever the clock does, so that the order of numbers is that of dates.
   */
  insert(
    batch: EventBatch,
    { afterSeq, nowMs }: { afterSeq: number; nowMs: number },
  ): Map<OwedEvent, number> {
    const origin = this.#originOf(batch.origin);
    const fresh =
      batch.range === undefined
        ? [...batch.events]
        : this.#unseen(origin, batch.range, batch.events);
    if (fresh.length === 0) return new Map();
    const [last] = this.#sql.all<{ created_ms: number }>(
      "SELECT created_ms FROM delivery ORDER BY seq DESC LIMIT 1",
    );
    const createdMs = Math.max(nowMs, last?.created_ms ?? 0);
    const numbered = new Map(fresh.map((event, index) => [event, afterSeq + 1 + index]));
    const rows = [...numbered].map(([event, seq]) =>
      stringifyJson([seq, event.position, this.#nameId(event.eventType), event.idempotencyKey]),
    );
    const inserted = new Set<number>();
    for (const chunk of chunksOf(rows)) {
      const stored = this.#sql.all<{ seq: number }>(
        `INSERT INTO delivery (
           seq, origin, position, type, key, status, created_ms, updated_ms, generation, attempts, waited_ms)
         SELECT value ->> 0, ?, value ->> 1, value ->> 2, nullif(value ->> 3, ''), ${PENDING}, ?, ?, 0, 0, 0
         FROM json_each(?) WHERE true
         ON CONFLICT DO NOTHING RETURNING seq`,
        origin,
        createdMs,
        createdMs,
        `[${chunk.join(",")}]`,
      );
      for (const { seq } of stored) inserted.add(seq);
    }
    return new Map([...numbered].filter(([, seq]) => inserted.has(seq)));
  }

  #unseen(origin: number, range: EntryRange, events: readonly OwedEvent[]): OwedEvent[] {
    const gaps = this.#received.add(origin, range);
    return events.filter(({ position }) =>
      gaps.some((gap) => Number(position) >= gap.first && Number(position) <= gap.last),
    );
  }

  /** Deliveries from a number on that were never attempted, oldest first. */
  listFresh(fromSeq: number, limit: number): DueDelivery[] {
    return this.#sql
      .all<DueRow>(
        `SELECT ${DUE_COLUMNS} FROM delivery JOIN name ON name.id = delivery.type
         WHERE seq >= ? AND status = ${PENDING} AND due_ms IS NULL ORDER BY seq LIMIT ?`,
        fromSeq,
        limit,
      )
      .map((row) => toDue(row, true));
  }

  /** Deliveries that are due again, except some that are under way; the longest due first. */
  listDue(laneMs: number, limit: number, except: readonly number[]): DueDelivery[] {
    return this.#sql
      .all<DueRow>(
        `SELECT ${DUE_COLUMNS} FROM delivery INDEXED BY delivery_due JOIN name ON name.id = delivery.type
         WHERE status = ${PENDING} AND due_ms IS NOT NULL AND due_ms <= ?
           AND seq NOT IN (SELECT value FROM json_each(?))
         ORDER BY due_ms, seq LIMIT ?`,
        laneMs,
        stringifyJson(except),
        limit,
      )
      .map((row) => toDue(row, false));
  }

  /** When the next delivery is due again, except some, by the clock of the lane; undefined where none waits. */
  earliestDueMs(except: readonly number[]): number | undefined {
    const [row] = this.#sql.all<{ due_ms: number }>(
      `SELECT due_ms FROM delivery INDEXED BY delivery_due
       WHERE status = ${PENDING} AND due_ms IS NOT NULL AND seq NOT IN (SELECT value FROM json_each(?))
       ORDER BY due_ms LIMIT 1`,
      stringifyJson(except),
    );
    return row?.due_ms;
  }

  /** The origin of events, by its number. */
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

  /**
   * Stores how turns ended, in one transaction. `wallMs` is the time of the change. Deliveries of an attempt before keep it
   * in `attempt`.
   */
  settle(results: readonly DeliveryResult[], wallMs: number): void {
    const attempts = results.flatMap(({ seq, attempt }) =>
      attempt === undefined ? [] : [{ seq, attempt }],
    );
    const rows = results.map((result) => stringifyJson(this.#toRow(result)));
    this.#keepAttempts(attempts.flatMap(({ seq, attempt }) => (attempt.isFirst ? [] : [seq])));
    for (const chunk of chunksOf(rows)) {
      this.#sql.all(SETTLE, wallMs, `[${chunk.join(",")}]`);
    }
    const excerpts = attempts.flatMap(({ seq, attempt: { responseExcerpt } }) =>
      responseExcerpt === undefined ? [] : [stringifyJson([seq, responseExcerpt])],
    );
    for (const chunk of chunksOf(excerpts)) this.#sql.all(KEEP_EXCERPTS, `[${chunk.join(",")}]`);
  }

  /** Moves the last attempts of deliveries to the table of attempts, where they stay. */
  #keepAttempts(seqs: readonly number[]): void {
    if (seqs.length === 0) return;
    this.#sql.all(
      `INSERT OR IGNORE INTO attempt (seq, generation, number, at_ms, endpoint, outcome, code, took_ms, error)
       SELECT seq, last_generation, last_number, last_ms, last_endpoint, last_outcome, last_code, last_took_ms, last_error
       FROM delivery WHERE seq IN (SELECT value FROM json_each(?)) AND last_number IS NOT NULL`,
      stringifyJson(seqs),
    );
  }

  #toRow({ seq, status, dueMs, waitedMs, attempt, error }: DeliveryResult) {
    return [
      seq,
      statusNumber(status),
      dueMs ?? null,
      waitedMs,
      attempt === undefined ? 0 : 1,
      attempt?.startedMs ?? null,
      attempt?.atMs ?? null,
      attempt === undefined ? null : this.#nameId(attempt.endpoint),
      attempt === undefined ? null : OUTCOMES.indexOf(attempt.outcome),
      attempt?.statusCode ?? null,
      attempt?.tookMs ?? null,
      attempt?.error ?? error ?? null,
    ];
  }

  /** Puts off deliveries that were not attempted. */
  postpone(seqs: readonly number[], dueMs: number): void {
    this.#sql.all(
      "UPDATE delivery SET due_ms = ? WHERE seq IN (SELECT value FROM json_each(?))",
      dueMs,
      stringifyJson(seqs),
    );
  }

  /** A transaction was rolled back, and with it perhaps numbers that are held in memory. */
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

/** Most numbers of names that are held in memory. */
const NAMES_MAX = 1000;

const DUE_COLUMNS =
  "seq, origin, position, name.name AS type, key, attempts, generation, waited_ms";

const toDue = ({ type, key, waited_ms, ...row }: DueRow, isFresh: boolean): DueDelivery => ({
  ...row,
  isFresh,
  eventType: type,
  idempotencyKey: key ?? "",
  waitedMs: waited_ms,
});

/** The attempt that was just stored is the last one of its delivery. */
const KEEP_EXCERPTS = `
  INSERT OR IGNORE INTO excerpt (seq, generation, number, text)
  SELECT seq, last_generation, last_number, value ->> 1
  FROM json_each(?) JOIN delivery ON seq = value ->> 0 WHERE last_number IS NOT NULL`;

/** What was stored of the last attempt stays where no call was made, apart from the error. */
const SETTLE = `
  UPDATE delivery SET
    status = r.status,
    updated_ms = r.wall,
    due_ms = r.due,
    waited_ms = r.waited,
    attempts = attempts + r.made,
    cycle_ms = coalesce(cycle_ms, r.started),
    last_number = CASE WHEN r.made THEN attempts + 1 ELSE last_number END,
    last_generation = CASE WHEN r.made THEN generation ELSE last_generation END,
    last_ms = coalesce(r.at, last_ms),
    last_endpoint = coalesce(r.endpoint, last_endpoint),
    last_outcome = coalesce(r.outcome, last_outcome),
    last_code = coalesce(r.code, last_code),
    last_took_ms = coalesce(r.took, last_took_ms),
    last_error = CASE WHEN r.made THEN r.error ELSE coalesce(r.error, last_error) END
  FROM (
    SELECT ? AS wall, value ->> 0 AS id, value ->> 1 AS status, value ->> 2 AS due, value ->> 3 AS waited, value ->> 4 AS made,
      value ->> 5 AS started, value ->> 6 AS at, value ->> 7 AS endpoint, value ->> 8 AS outcome,
      value ->> 9 AS code, value ->> 10 AS took, value ->> 11 AS error
    FROM json_each(?)
  ) AS r
  WHERE seq = r.id AND delivery.status = ${PENDING}`;
