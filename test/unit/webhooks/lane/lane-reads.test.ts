import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { toDeliveryId } from "#modules/webhooks/core/delivery-id.ts";
import { DELIVERY_STATUSES, type DeliveryStatus } from "#modules/webhooks/core/delivery.ts";
import type { DeliveryQuery, DeliveryRecord } from "#modules/webhooks/core/lane.ts";
import { LaneChanges } from "#modules/webhooks/lane/lane-changes.ts";
import { LaneReads } from "#modules/webhooks/lane/lane-reads.ts";
import { PENDING, statusNumber } from "#modules/webhooks/lane/lane-tables.ts";
import { present } from "#platform/assert.ts";
import { CONFIG_ID, LaneBench, START_MS } from "#test/support/webhooks/lane-bench.ts";

beforeEach(() => void vi.useFakeTimers({ now: START_MS }));
afterEach(() => void vi.useRealTimers());

const LOWER = "00000000-0000-4000-8000-000000000000";
const HIGHER = "ffffffff-ffff-4fff-8fff-ffffffffffff";

/** A delivery with a status, `gapMs` milliseconds after the delivery before. */
interface Made {
  readonly status: DeliveryStatus;
  readonly gapMs: number;
}

/** Reads of a lane with the given deliveries. The lane's head is the first delivery without an attempt. */
function readsOf(made: readonly Made[]): LaneReads {
  const { sql } = new LaneBench();
  const underWay = new Map<number, number>();
  let createdMs = START_MS;
  for (const [index, { status, gapMs }] of made.entries()) {
    createdMs += gapMs;
    const seq = index + 1;
    if (status === "delivering") underWay.set(seq, createdMs);
    const stored = status === "delivering" ? PENDING : statusNumber(status);
    // Every other pending delivery waits for a retry.
    const dueMs = status === "pending" && seq % 2 === 0 ? createdMs + 1000 : null;
    sql.all("INSERT OR IGNORE INTO name (id, name) VALUES (1, 'a.b')");
    sql.all(
      `INSERT INTO delivery (seq, origin, position, type, status, created_ms, updated_ms, generation, attempts, waited_ms, due_ms)
       VALUES (?, 1, ?, 1, ?, ?, ?, 0, 0, 0, ?)`,
      seq,
      seq,
      stored,
      createdMs,
      createdMs,
      dueMs,
    );
  }
  const fresh = made.findIndex(({ status }, index) => status === "pending" && index % 2 === 0);
  return new LaneReads(sql, {
    configId: CONFIG_ID,
    underWay,
    isHeld: false,
    toWallMs: (ms) => ms,
    nowMs: START_MS,
    head: fresh === -1 ? made.length + 1 : fresh + 1,
  });
}

/** The expected list, from a scan of all deliveries. */
function naive(all: readonly DeliveryRecord[], query: DeliveryQuery): string[] {
  const { statuses, fromMs = -Infinity, toMs = Infinity, after, order, limit } = query;
  const sign = order === "asc" ? 1 : -1;
  const compare = (a: { createdMs: number; id: string }, b: { createdMs: number; id: string }) =>
    sign * (a.createdMs - b.createdMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  return all
    .filter((delivery) => statuses === undefined || statuses.includes(delivery.status))
    .filter(({ createdMs }) => createdMs >= fromMs && createdMs <= toMs)
    .filter((delivery) => after === undefined || compare(delivery, after) > 0)
    .toSorted(compare)
    .slice(0, limit)
    .map(({ id }) => id);
}

const anyMade = fc.array(
  fc.record({ status: fc.constantFrom(...DELIVERY_STATUSES), gapMs: fc.nat(2) }),
  { maxLength: 25 },
);
const anyMs = fc.integer({ min: START_MS - 2, max: START_MS + 40 });
const anyQuery = fc.record(
  {
    statuses: fc.subarray([...DELIVERY_STATUSES]),
    fromMs: anyMs,
    toMs: anyMs,
    after: fc.record({
      createdMs: anyMs,
      id: fc.oneof(
        fc.constantFrom(LOWER, HIGHER),
        fc.nat(26).map((seq) => toDeliveryId(CONFIG_ID, seq)),
      ),
    }),
    order: fc.constantFrom("asc" as const, "desc" as const),
    limit: fc.integer({ min: 1, max: 8 }),
  },
  { requiredKeys: ["order", "limit"] },
);

test("a list is what it would be if everything was looked at", () => {
  fc.assert(
    fc.property(anyMade, fc.array(anyQuery, { minLength: 1, maxLength: 8 }), (made, queries) => {
      const reads = readsOf(made);
      const all = reads.list({ order: "asc", limit: 100 });
      expect(all.map(({ status }) => status)).toEqual(made.map(({ status }) => status));
      for (const query of queries) {
        expect(reads.list(query).map(({ id }) => id)).toEqual(naive(all, query));
      }
    }),
  );
});

describe("a purge", () => {
  test("a purge of deliveries removes what ended long ago with all that belongs to it, and never the newest", async () => {
    const bench = new LaneBench();
    bench.answer = ({ body }) => (body === "body 2" ? 404 : 200);
    bench.accept(1, 3);
    await bench.pass(1000);
    await bench.pass(1_000_000);
    bench.accept(4);
    await bench.pass(1000);
    const changes = new LaneChanges(bench.sql);
    const purge = (succeededBeforeMs: number, othersBeforeMs: number): number[] => {
      while (changes.purge({ succeededBeforeMs, othersBeforeMs, limit: 2 }) > 0);
      return bench.list().map(({ seq }) => seq);
    };
    expect(purge(START_MS, START_MS)).toEqual([1, 2, 3, 4]);
    expect(purge(START_MS + 500_000, START_MS)).toEqual([2, 4]);
    expect(purge(Date.now() + 1, Date.now() + 1)).toEqual([4]);
    expect(bench.sql.all("SELECT 1 AS one FROM excerpt")).toEqual([]);
    bench.restart();
    bench.accept(5);
    expect(bench.list().map(({ seq }) => seq)).toEqual([4, 5]);
  });
});

test("many deliveries are listed by each filter without looking at all of them", () => {
  const bench = new LaneBench();
  bench.sql.all("INSERT INTO name (id, name) VALUES (1, 'a.b')");
  bench.sql.all(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
     INSERT INTO delivery (seq, origin, position, type, status, created_ms, updated_ms, generation, attempts, waited_ms)
     SELECT i, 1, i, 1, CASE WHEN i = 5 THEN 2 ELSE 1 END, ${START_MS} + i, 0, 0, 0, 0 FROM n`,
  );
  const reads = new LaneReads(bench.sql, { ...bench.lane.view, head: 20_001 });
  const plans = vi.spyOn(bench.sql, "all");
  expect(reads.list({ statuses: ["failed"], order: "desc", limit: 15 })).toHaveLength(1);
  expect(reads.list({ statuses: ["pending"], order: "desc", limit: 15 })).toHaveLength(0);
  expect(reads.list({ fromMs: START_MS + 19_995, order: "desc", limit: 15 })).toHaveLength(6);
  const calls = plans.mock.calls.map(([statement, ...bindings]) => ({ statement, bindings }));
  plans.mockRestore();
  for (const { statement, bindings } of calls) {
    const plan = bench.sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${statement}`, ...bindings);
    for (const { detail } of plan)
      expect(detail).not.toMatch(/^SCAN delivery(?! USING (?:COVERING )?INDEX delivery_waiting)/);
  }
  expect(present(calls[0], "statements were run").statement).toContain("delivery");
});
