import { beforeEach, describe, expect, test } from "vitest";
import { CLOSED } from "#modules/webhooks/core/breaker.ts";
import type { AttemptResult, DeliveryResult } from "#modules/webhooks/lane/delivery-results.ts";
import { LaneStore } from "#modules/webhooks/lane/lane-store.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { SqlRow } from "#platform/sql/sql.ts";
import { LEDGER, SPEC, START_MS } from "#test/support/webhooks/lane-bench.ts";

const COLUMNS = `seq, status, updated_ms, due_ms, waited_ms, attempts, generation, cycle_ms, last_number,
  last_generation, last_ms, last_outcome, last_code, last_took_ms, last_error,
  (SELECT name FROM name WHERE id = last_endpoint) AS endpoint`;
const WALL_MS = START_MS + 5000;

let sql: NodeSql;
let store: LaneStore;

beforeEach(() => {
  sql = new NodeSql();
  store = new LaneStore(sql);
  store.create({ spec: SPEC, breaker: CLOSED, clock: { offsetMs: 0, lastMs: START_MS }, head: 1 });
  const runs = [{ first: 1, last: 6, eventType: "ledger.committed_transactions" }];
  const batch = { origin: LEDGER, range: { first: 1, last: 6 }, events: [], runs };
  store.insert(batch, { afterSeq: 0, nowMs: START_MS });
});

const rows = (): SqlRow[] => sql.all(`SELECT ${COLUMNS} FROM delivery ORDER BY seq`);
const attempt = (fields: Partial<AttemptResult> = {}): AttemptResult => ({
  isFirst: true,
  startedMs: START_MS + 100,
  endpoint: SPEC.endpoint,
  outcome: "succeeded",
  statusCode: 200,
  tookMs: 7,
  ...fields,
});
const success = (seq: number, fields: Partial<AttemptResult> = {}): DeliveryResult => ({
  seq,
  status: "succeeded",
  waitedMs: 0,
  attempt: attempt(fields),
});
const settled = (seq: number, fields: SqlRow = {}): SqlRow => ({
  seq,
  status: 1,
  updated_ms: WALL_MS,
  due_ms: null,
  waited_ms: 0,
  attempts: 1,
  generation: 0,
  cycle_ms: START_MS + 100,
  last_number: 1,
  last_generation: 0,
  last_ms: START_MS + 100,
  last_outcome: 0,
  last_code: 200,
  last_took_ms: 7,
  last_error: null,
  endpoint: SPEC.endpoint,
  ...fields,
});

describe("successes of one commit", () => {
  test("successes of one commit are stored each with its own times, status and endpoint", () => {
    const other = "https://hooks.example.com/other";
    const late = START_MS + 2 ** 33;
    store.settle(
      [
        success(1),
        success(2, { startedMs: START_MS + 90, tookMs: 0 }),
        success(3, { statusCode: 204 }),
        success(5, { endpoint: other, startedMs: late, tookMs: 20_000 }),
        { ...success(6), waitedMs: 1000 },
      ],
      WALL_MS,
    );
    const [first, second, third, fourth, fifth, sixth] = rows();
    expect(first).toEqual(settled(1));
    expect(second).toEqual(
      settled(2, { cycle_ms: START_MS + 90, last_ms: START_MS + 90, last_took_ms: 0 }),
    );
    expect(third).toEqual(settled(3, { last_code: 204 }));
    expect(fourth).toMatchObject({ status: 0, attempts: 0, updated_ms: START_MS, last_code: null });
    expect(fifth).toEqual(
      settled(5, { endpoint: other, cycle_ms: late, last_ms: late, last_took_ms: 20_000 }),
    );
    expect(sixth).toEqual(settled(6, { waited_ms: 1000 }));
  });

  test("successes of one commit keep the attempts before them, and when their generation began", () => {
    const failed = attempt({ outcome: "retryable_failure", statusCode: 500, error: "broken" });
    const retry = { seq: 1, status: "pending", dueMs: START_MS + 900, waitedMs: 800 } as const;
    store.settle([{ ...retry, attempt: failed }], WALL_MS - 1);
    sql.all("UPDATE delivery SET generation = 1, attempts = 0, waited_ms = 0 WHERE seq = 1");
    store.settle([success(1, { isFirst: false, startedMs: START_MS + 950 })], WALL_MS);
    const last = { generation: 1, last_generation: 1, last_ms: START_MS + 950 };
    expect(rows()[0]).toEqual(settled(1, last));
    expect(sql.all("SELECT seq, generation, number, code, error FROM attempt")).toEqual([
      { seq: 1, generation: 0, number: 1, code: 500, error: "broken" },
    ]);
  });

  test("successes of one commit change nothing of a delivery that has ended, and keep the excerpts of the others", () => {
    sql.all("UPDATE delivery SET status = 3 WHERE seq = 2");
    const before = rows();
    store.settle([success(1, { responseExcerpt: "thanks" }), success(2)], WALL_MS);
    expect(rows()).toEqual([settled(1), ...before.slice(1)]);
    expect(sql.all("SELECT seq, generation, number, text FROM excerpt")).toEqual([
      { seq: 1, generation: 0, number: 1, text: "thanks" },
    ]);
  });

  test("a success of a delivery that has ended meanwhile leaves its earlier attempts and their excerpts as they are", () => {
    const failed = attempt({ outcome: "retryable_failure", statusCode: 500, error: "broken" });
    const retry = { seq: 1, status: "pending", dueMs: START_MS + 900, waitedMs: 800 } as const;
    store.settle([{ ...retry, attempt: failed }], WALL_MS - 1);
    sql.all("UPDATE delivery SET status = 3 WHERE seq = 1");
    const before = rows();
    const late = { isFirst: false, startedMs: START_MS + 950, responseExcerpt: "too late" };
    store.settle([success(1, late)], WALL_MS);
    expect(rows()).toEqual(before);
    expect(sql.all("SELECT * FROM attempt")).toEqual([]);
    expect(sql.all("SELECT * FROM excerpt")).toEqual([]);
  });
});
