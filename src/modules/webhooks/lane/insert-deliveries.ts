import { OUTBOX_ORIGIN, PENDING } from "./lane-tables.ts";
import type { EntryRange } from "./received-ranges.ts";
import type { EventBatch, OwedEvent } from "#modules/webhooks/core/lane.ts";
import { jsonColumns } from "#platform/sql/json-columns.ts";
import { chunksOf, type Sql } from "#platform/sql/sql.ts";

/** Consecutive events with the type, the key and the cause of the first. */
interface Span {
  readonly position: number | string;
  readonly count: number;
  readonly eventType: string;
  readonly idempotencyKey: string;
  readonly cause: string | undefined;
  /** The event as its batch has it; absent for a run. */
  readonly event?: OwedEvent;
}

interface InsertOptions {
  readonly origin: number;
  /** The last number that is taken; new deliveries are numbered behind it. */
  readonly afterSeq: number;
  readonly createdMs: number;
  /** Returns the number of an event type. */
  readonly nameId: (name: string) => number;
}

export interface InsertedDeliveries {
  /** The numbers of the new events that came as objects and not as runs. */
  readonly events: ReadonlyMap<OwedEvent, number>;
  /** The last number that was used, or `afterSeq` if there was none. */
  readonly lastSeq: number;
}

/** The events of a ledger's batch that lie within some ranges of its log, in the order of the log. */
export function spansWithin(
  { events, runs = [] }: EventBatch,
  ranges: readonly EntryRange[],
): Span[] {
  const spans: Span[] = [];
  for (const { first, last } of ranges) {
    const start = spans.length;
    for (const run of runs) {
      const position = Math.max(run.first, first);
      const count = Math.min(run.last, last) - position + 1;
      const { eventType, cause } = run;
      if (count > 0) spans.push({ position, count, eventType, idempotencyKey: "", cause });
    }
    for (const event of events) {
      if (Number(event.position) >= first && Number(event.position) <= last) {
        spans.push(toSpan(event));
      }
    }
    const sorted = spans.splice(start).toSorted((a, b) => Number(a.position) - Number(b.position));
    spans.push(...sorted);
  }
  return spans;
}

export const toSpan = (event: OwedEvent): Span => ({
  position: event.position,
  count: 1,
  eventType: event.eventType,
  idempotencyKey: event.idempotencyKey,
  cause: event.cause,
  event,
});

/** Stores events as pending and due at once. An event of the outbox that is stored already is left out. */
export function insertDeliveries(
  sql: Sql,
  spans: readonly Span[],
  { origin, afterSeq, createdMs, nameId }: InsertOptions,
): InsertedDeliveries {
  const bySeq = new Map<number, OwedEvent>();
  let lastSeq = afterSeq;
  const rows = spans.map(({ position, count, eventType, idempotencyKey, cause = "", event }) => {
    const seq = lastSeq + 1;
    lastSeq += count;
    if (event !== undefined) bySeq.set(seq, event);
    const type = nameId(eventType);
    return SPAN.rowText({ seq, position, type, key: idempotencyKey, count, cause });
  });
  const isOutbox = origin === OUTBOX_ORIGIN;
  const statement = isOutbox ? `${INSERT} ON CONFLICT DO NOTHING RETURNING seq` : INSERT;
  const stored: number[] = [];
  for (const chunk of chunksOf(rows)) {
    const json = `[${chunk.join(",")}]`;
    const inserted = sql.all<{ seq: number }>(statement, json, origin, createdMs, createdMs);
    for (const { seq } of inserted) stored.push(seq);
  }
  const seqs = isOutbox ? stored : [...bySeq.keys()];
  const events = new Map<OwedEvent, number>();
  for (const seq of seqs) {
    const event = bySeq.get(seq);
    if (event !== undefined) events.set(event, seq);
  }
  return { events, lastSeq: isOutbox ? (stored.at(-1) ?? afterSeq) : lastSeq };
}

const SPAN = jsonColumns("seq", "position", "type", "key", "count", "cause");

/** A span has the columns of its first delivery; the recursion counts its further deliveries. */
const INSERT = `
  WITH RECURSIVE span (seq, position, type, key, count, cause) AS (
    SELECT ${SPAN.items.seq}, ${SPAN.items.position}, ${SPAN.items.type}, nullif(${SPAN.items.key}, ''), ${SPAN.items.count},
      nullif(${SPAN.items.cause}, '')
    FROM json_each(?)
    UNION ALL
    SELECT seq + 1, position + 1, type, key, count - 1, cause FROM span WHERE count > 1
  )
  INSERT INTO delivery (
    seq, origin, position, type, key, status, created_ms, updated_ms, generation, attempts, waited_ms, cause)
  SELECT seq, ?, position, type, key, ${PENDING}, ?, ?, 0, 0, 0, cause FROM span WHERE true`;
