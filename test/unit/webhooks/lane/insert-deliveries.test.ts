import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CLOSED } from "#modules/webhooks/core/breaker.ts";
import type { EventBatch, OwedEvent } from "#modules/webhooks/core/lane.ts";
import { withoutBodies } from "#modules/webhooks/fan-out/without-bodies.ts";
import { LaneStore } from "#modules/webhooks/lane/lane-store.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { runsOf } from "#test/support/runner/runs.ts";
import { LEDGER, SPEC } from "#test/support/webhooks/lane-bench.ts";

const TYPES = ["ledger.committed_transactions", "ledger.saved_metadata"] as const;

/** Batches of events from a ledger's log or from the outbox, some of which the endpoint wants. */
const batches: fc.Arbitrary<EventBatch> = fc
  .record({
    first: fc.integer({ min: 1, max: 60 }),
    entries: fc.array(
      fc.record({
        isWanted: fc.boolean(),
        eventType: fc.constantFrom(...TYPES),
        idempotencyKey: fc.constantFrom("", "", "", "key"),
      }),
      { minLength: 1, maxLength: 30 },
    ),
  })
  .map(({ first, entries }) => ({
    origin: LEDGER,
    range: { first, last: first + entries.length - 1 },
    events: entries.flatMap(({ isWanted, ...event }, index): OwedEvent[] =>
      isWanted ? [{ position: first + index, ...event }] : [],
    ),
  }));

class Store {
  readonly #sql = new NodeSql();
  readonly #store = new LaneStore(this.#sql);
  #lastSeq = 0;

  constructor() {
    const clock = { offsetMs: 0, lastMs: 0 };
    this.#store.create({ spec: SPEC, breaker: CLOSED, clock, head: 1 });
  }

  insert(batch: EventBatch): number[] {
    const inserted = this.#store.insert(batch, { afterSeq: this.#lastSeq, nowMs: 1 });
    this.#lastSeq = inserted.lastSeq;
    return [...inserted.events.values()];
  }

  /** The last sequence number that `insert` returned, and the last stored one. */
  get lastSeqs(): [number, number] {
    return [this.#lastSeq, this.#store.lastSeq()];
  }

  rows(): unknown[] {
    return this.#sql.all(
      "SELECT delivery.*, name.name FROM delivery JOIN name ON name.id = type ORDER BY seq",
    );
  }
}

test("runs make the same deliveries as their events, in whatever order messages come, and however often", () => {
  const property = fc.property(fc.array(batches, { maxLength: 6 }), (messages) => {
    const [one, other] = [new Store(), new Store()];
    for (const message of messages) {
      const numbers = one.insert(message);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      other.insert(withoutBodies(message));
      const [last, stored] = other.lastSeqs;
      expect(last).toBe(stored);
      expect(other.lastSeqs).toEqual(one.lastSeqs);
    }
    const withoutNumbersOfTypes = (rows: unknown[]) =>
      rows.map((row) => ({ ...(row as object), type: undefined }));
    expect(withoutNumbersOfTypes(other.rows())).toEqual(withoutNumbersOfTypes(one.rows()));
  });
  fc.assert(property, { numRuns: runsOf(100) });
});

test("a bulk of equal events without keys is one run", () => {
  const events = Array.from({ length: 1000 }, (_, index) => ({
    position: 7 + index,
    eventType: TYPES[0],
    idempotencyKey: "",
    body: "x".repeat(1000),
  }));
  const batch = { origin: LEDGER, range: { first: 7, last: 1006 }, events };
  const bare = withoutBodies(batch);
  expect(bare).toMatchObject({
    events: [],
    runs: [{ first: 7, last: 1006, eventType: TYPES[0] }],
  });
  expect(withoutBodies(bare)).toEqual(bare);
});

test("events of the outbox stay events, and are stored once", () => {
  const events = ["a", "b", "a"].map((position) => ({
    position,
    eventType: TYPES[1],
    idempotencyKey: "",
    body: "body",
  }));
  const batch = withoutBodies({ origin: { source: "outbox" }, events });
  expect(batch.runs).toBeUndefined();
  const store = new Store();
  expect(store.insert(batch)).toHaveLength(2);
  expect(store.insert(batch)).toEqual([]);
  expect(store.rows()).toMatchObject([{ position: "a" }, { position: "b" }]);
});
