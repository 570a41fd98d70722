import { STORED_STATUSES, OUTBOX_ORIGIN, OUTCOMES, PENDING, statusNumber } from "./lane-tables.ts";
import { parseDeliveryId, toDeliveryId } from "#modules/webhooks/core/delivery-id.ts";
import type { DeliveryStatus } from "#modules/webhooks/core/delivery.ts";
import type {
  AttemptPosition,
  AttemptRecord,
  DeliveryPosition,
  DeliveryQuery,
  DeliveryRecord,
  LaneNeed,
} from "#modules/webhooks/core/lane.ts";
import { present } from "#platform/assert.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";
import type { ObjectBacklog } from "#platform/status/object-backlogs.ts";

/** The state of deliveries that is only in the memory of the running lane. */
export interface LaneView {
  readonly configId: string;
  /** Start of each call that is under way, in milliseconds since the epoch, by the number of its delivery. */
  readonly underWay: ReadonlyMap<number, number>;
  /** Whether a call was held back, because the deployment is disarmed, and nothing is called until the lane wakes. */
  readonly isHeld: boolean;
  /** Converts a time of the lane to the machine's time. */
  readonly toWallMs: (laneMs: number) => number;
  readonly nowMs: number;
  /** Every delivery before this number was attempted at least once or has ended. */
  readonly head: number;
}

/** How long deliveries are kept after their end, in milliseconds. */
export interface Retention {
  readonly succeededMs: number;
  readonly othersMs: number;
}

/** The deliveries of a lane that wait. */
export interface LaneBacklog extends ObjectBacklog {
  /** Whether the lane counts as behind: its oldest delivery is late, or its endpoint is down. */
  readonly isBehind: boolean;
}

/** How long a delivery may wait until its lane counts as behind, in milliseconds. */
export const LATE_MS = 30_000;
/** Most pending deliveries that are counted, of those that were attempted and of the others each. */
const WAITING_MAX = 1000;

interface OldestRow extends Record<string, SqlValue> {
  count: number;
  created_ms: number | null;
  last_error: string | null;
}

/** Numbers of deliveries: from `from` inclusive to `to` exclusive. */
interface SeqRange {
  readonly from: number;
  readonly to: number;
}

/** An SQL condition that begins with AND, and its parameters. */
interface Condition {
  readonly condition: string;
  readonly bindings: readonly SqlValue[];
}

interface Row extends Record<string, SqlValue> {
  seq: number;
  position: number | string;
  uuid: string | null;
  origin: number;
  type: string;
  key: string | null;
  status: number;
  created_ms: number;
  updated_ms: number;
  generation: number;
  attempts: number;
  cycle_ms: number | null;
  due_ms: number | null;
  last_ms: number | null;
  last_code: number | null;
  last_error: string | null;
}

/**
 * Reads of a lane's deliveries. Creation dates never decrease with the numbers, so a date is found by binary search, and a list
 * by date needs no index. Each status has a part of an index, except deliveries that were never attempted: they are the rows from
 * the head on.
 */
export class LaneReads {
  readonly #sql: Sql;
  readonly #view: LaneView;

  constructor(sql: Sql, view: LaneView) {
    this.#sql = sql;
    this.#view = view;
  }

  list(query: DeliveryQuery): DeliveryRecord[] {
    const range = this.#rangeOf(query);
    if (range.from >= range.to) return [];
    const { statuses, order, limit } = query;
    const parts =
      statuses === undefined
        ? [this.#select(range, query)]
        : [...new Set(statuses)].map((status) => this.#listStatus(status, range, query));
    const sign = order === "asc" ? 1 : -1;
    return parts
      .flat()
      .toSorted((a, b) => sign * (a.seq - b.seq))
      .slice(0, limit)
      .map((row) => this.#toRecord(row));
  }

  find(seq: number): DeliveryRecord | undefined {
    const [row] = this.#select({ from: seq, to: seq + 1 }, { order: "asc", limit: 1 });
    return row === undefined ? undefined : this.#toRecord(row);
  }

  /**
   * Until when the lane needs the bodies of events, for each event that it has a delivery of. After this time the delivery is
   * purged, or cannot be replayed. A pending delivery has no such time yet.
   */
  needsOf(eventIds: readonly string[], { succeededMs, othersMs }: Retention): LaneNeed[] {
    const rows = this.#sql.all<{ place: number; status: number; updated_ms: number }>(
      `SELECT e.key AS place, status, updated_ms FROM json_each(?) AS e
       CROSS JOIN delivery ON delivery.origin = ${OUTBOX_ORIGIN} AND delivery.position = e.value`,
      stringifyJson(eventIds),
    );
    return rows.map(({ place, status, updated_ms: endedMs }) => {
      if (status === PENDING) return { place };
      const isSuccess = status === statusNumber("succeeded");
      return { place, untilMs: endedMs + (isSuccess ? succeededMs : othersMs) };
    });
  }

  /** What waits in the lane; undefined if nothing does. `isDown`: whether the circuit breaker of the endpoint is open. */
  backlog(isDown: boolean): LaneBacklog | undefined {
    const attempted = this.#oldestOf("due_ms IS NOT NULL");
    const fresh = this.#oldestOf("due_ms IS NULL AND seq >= ?", this.#head);
    const waiting = (attempted?.count ?? 0) + (fresh?.count ?? 0);
    const sinceMs = Math.min(attempted?.created_ms ?? Infinity, fresh?.created_ms ?? Infinity);
    if (waiting === 0 || sinceMs === Infinity) return undefined;
    const reason = isDown ? "the endpoint fails" : "the endpoint is slower than its events come";
    return {
      waiting,
      sinceMs,
      reason: attempted?.last_error ?? reason,
      isBehind: isDown || this.#view.nowMs - sinceMs >= LATE_MS,
    };
  }

  /** The oldest of the pending deliveries that meet a condition, and how many there are, up to `WAITING_MAX`. */
  #oldestOf(condition: string, ...bindings: readonly number[]): OldestRow | undefined {
    const [row] = this.#sql.all<OldestRow>(
      `SELECT count(*) AS count, min(seq), created_ms, last_error FROM (
         SELECT seq, created_ms, last_error FROM delivery WHERE status = ${PENDING} AND ${condition}
         ORDER BY seq LIMIT ${WAITING_MAX})`,
      ...bindings,
    );
    return row;
  }

  /** The origin and the position at which the event of a delivery can be read. */
  originOf(seq: number): { origin: number; position: number | string } | undefined {
    const [row] = this.#sql.all<{ origin: number; position: number | string }>(
      "SELECT origin, position FROM delivery WHERE seq = ?",
      seq,
    );
    return row;
  }

  /** Lists the attempts of a delivery behind a position, newest first. */
  attempts(
    seq: number,
    { limit, after }: { readonly limit: number; readonly after?: AttemptPosition | undefined },
  ): AttemptRecord[] {
    return this.#sql
      .all<AttemptRow>(
        `SELECT a.*, name.name AS url, excerpt.text AS excerpt FROM (
           SELECT seq, generation, number, at_ms, endpoint, outcome, code, took_ms, error FROM attempt WHERE seq = ?
           UNION ALL
           SELECT seq, last_generation, last_number, last_ms, last_endpoint, last_outcome, last_code, last_took_ms,
             last_error
           FROM delivery WHERE seq = ? AND last_number IS NOT NULL
         ) AS a JOIN name ON name.id = a.endpoint
         LEFT JOIN excerpt USING (seq, generation, number)
         WHERE (a.generation, a.number) < (?, ?)
         ORDER BY a.generation DESC, a.number DESC LIMIT ? + 0`,
        seq,
        seq,
        after?.generation ?? Number.MAX_SAFE_INTEGER,
        after?.number ?? 0,
        limit,
      )
      .map(toAttempt);
  }

  #listStatus(status: DeliveryStatus, range: SeqRange, query: DeliveryQuery): Row[] {
    const { underWay } = this.#view;
    const seqs = stringifyJson([...underWay.keys()]);
    const within = "seq IN (SELECT value FROM json_each(?))";
    const select = (part: SeqRange, text: string, binding: SqlValue): Row[] =>
      this.#select(part, query, { condition: `AND ${text}`, bindings: [binding] });
    if (status === "delivering") return select(range, within, seqs);
    // The conditions of partial indexes are written as literals, because the query planner does not see parameters.
    if (status !== "pending")
      return select(range, "status > 0 AND status = ?", statusNumber(status));
    const isPending = `NOT ${within} AND status = ${PENDING}`;
    const waiting = select(range, `${isPending} AND due_ms IS NOT NULL`, seqs);
    const fresh = select(
      { ...range, from: Math.max(range.from, this.#head) },
      `${isPending} AND due_ms IS NULL`,
      seqs,
    );
    return [...waiting, ...fresh];
  }

  /** The later one of the lane's head and the stored head, which a deactivation advances beyond the deliveries that it has ended. */
  get #head(): number {
    const [lane] = this.#sql.all<{ head: number }>("SELECT head FROM lane");
    return Math.max(this.#view.head, lane?.head ?? 0);
  }

  #select(
    { from, to }: SeqRange,
    { order, limit }: Pick<DeliveryQuery, "order" | "limit">,
    { condition, bindings }: Condition = { condition: "", bindings: [] },
  ): Row[] {
    return this.#sql.all<Row>(
      `SELECT seq, position, origin, uuid, name.name AS type, key, status, created_ms, updated_ms, generation, attempts,
         cycle_ms, due_ms, last_ms, last_code, last_error
       FROM (
         SELECT * FROM delivery WHERE seq >= ? AND seq < ? ${condition}
         ORDER BY seq ${order === "asc" ? "ASC" : "DESC"} LIMIT ? + 0
       ) AS d
       JOIN name ON name.id = d.type LEFT JOIN origin ON origin.id = d.origin`,
      from,
      to,
      ...bindings,
      limit,
    );
  }

  #rangeOf({ fromMs, toMs, after, order }: DeliveryQuery): SeqRange {
    const from = fromMs === undefined ? 0 : this.#firstSince(fromMs);
    const to = toMs === undefined ? Number.MAX_SAFE_INTEGER : this.#firstSince(toMs + 1);
    if (after === undefined) return { from, to };
    const border = this.#borderOf(after);
    return order === "asc"
      ? { from: Math.max(from, border.behind), to }
      : { from, to: Math.min(to, border.before) };
  }

  /** The first number that sorts behind a position (`behind`), and the first number that does not sort before it (`before`). */
  #borderOf({ createdMs, id }: DeliveryPosition): { before: number; behind: number } {
    const [same, next] = [this.#firstSince(createdMs), this.#firstSince(createdMs + 1)];
    const address = parseDeliveryId(id);
    const own = toDeliveryId(this.#view.configId, 0).slice(0, PREFIX_LENGTH);
    const other = id.slice(0, PREFIX_LENGTH);
    if (own === other && address !== undefined) {
      const seq = Math.min(Math.max(address.seq, same), next);
      const isThere = seq === address.seq && seq < next;
      return { before: seq, behind: isThere ? seq + 1 : seq };
    }
    return own < other ? { before: next, behind: next } : { before: same, behind: same };
  }

  /** The number of the first delivery that was created at a date or later. */
  #firstSince(createdMs: number): number {
    const [ends] = this.#sql.all<{ low: number | null; high: number | null }>(
      "SELECT (SELECT min(seq) FROM delivery) AS low, (SELECT max(seq) FROM delivery) AS high",
    );
    let low = ends?.low ?? 0;
    let high = (ends?.high ?? -1) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [row] = this.#sql.all<{ created_ms: number }>(
        "SELECT created_ms FROM delivery WHERE seq >= ? ORDER BY seq LIMIT 1",
        middle,
      );
      if (row === undefined || row.created_ms >= createdMs) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #toRecord(row: Row): DeliveryRecord {
    const { configId, underWay, toWallMs, nowMs } = this.#view;
    const claimedMs = underWay.get(row.seq);
    const stored = present(STORED_STATUSES[row.status], "a stored status has a name");
    const isWaiting = stored === "pending" && claimedMs === undefined;
    return {
      id: toDeliveryId(configId, row.seq),
      seq: row.seq,
      configId,
      eventId: row.origin === OUTBOX_ORIGIN ? String(row.position) : `${row.uuid}:${row.position}`,
      idempotencyKey: row.key ?? "",
      eventType: row.type,
      status: claimedMs === undefined ? stored : "delivering",
      attemptCount: row.attempts,
      replayGeneration: row.generation,
      cycleStartedMs: row.cycle_ms ?? claimedMs,
      nextAttemptMs: isWaiting ? (row.due_ms === null ? nowMs : toWallMs(row.due_ms)) : undefined,
      claimedMs,
      lastAttemptMs: row.last_ms ?? undefined,
      // A call without an answer has no status code.
      lastStatusCode: row.last_code === 0 ? undefined : (row.last_code ?? undefined),
      lastError: row.last_error ?? undefined,
      createdMs: row.created_ms,
      updatedMs: claimedMs ?? row.updated_ms,
    };
  }
}

/** Length of a delivery's id before its number. */
const PREFIX_LENGTH = 24;

interface AttemptRow extends Record<string, SqlValue> {
  generation: number;
  number: number;
  at_ms: number;
  url: string;
  outcome: number;
  code: number;
  took_ms: number;
  error: string | null;
  excerpt: string | null;
}

const toAttempt = (row: AttemptRow): AttemptRecord => ({
  number: row.number,
  generation: row.generation,
  endpoint: row.url,
  outcome: present(OUTCOMES[row.outcome], "a stored outcome has a name"),
  statusCode: row.code,
  error: row.error ?? undefined,
  tookMs: row.took_ms,
  responseExcerpt: row.excerpt ?? undefined,
  atMs: row.at_ms,
});
