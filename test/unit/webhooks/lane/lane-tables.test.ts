import { expect, test } from "vitest";
import { CLOSED } from "#modules/webhooks/core/breaker.ts";
import { LaneStore } from "#modules/webhooks/lane/lane-store.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { SPEC, START_MS } from "#test/support/webhooks/lane-bench.ts";

const CLOCK = { offsetMs: 0, lastMs: START_MS };

test("a lane of a version that did not store when it was purged is due for a purge", () => {
  const sql = new NodeSql();
  new LaneStore(sql).create({ spec: SPEC, breaker: CLOSED, clock: CLOCK, head: 7 });
  sql.all("ALTER TABLE lane DROP COLUMN purged_ms");

  const store = new LaneStore(sql);
  expect(store.purgedMs()).toBe(0);
  expect(store.readState()).toMatchObject({ spec: SPEC, clock: CLOCK, head: 7 });
  store.writePurged(START_MS + 5);
  expect(new LaneStore(sql).purgedMs()).toBe(START_MS + 5);
});

test("a lane without tables stays so until it is made", () => {
  const sql = new NodeSql();
  const store = new LaneStore(sql);
  expect(store.readState()).toBeUndefined();
  store.create({ spec: SPEC, breaker: CLOSED, clock: CLOCK, head: 1 });
  expect(store.purgedMs()).toBe(START_MS);
});
