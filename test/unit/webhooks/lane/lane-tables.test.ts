import { expect, test } from "vitest";
import { CLOSED } from "#modules/webhooks/core/breaker.ts";
import { LaneStore } from "#modules/webhooks/lane/lane-store.ts";
import { LANE_TABLES } from "#modules/webhooks/lane/lane-tables.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { SPEC, START_MS } from "#test/support/webhooks/lane-bench.ts";

const CLOCK = { offsetMs: 0, lastMs: START_MS };

test("a lane whose tables a later version made is refused, and stays as it is", () => {
  const sql = new NodeSql();
  new LaneStore(sql).create({ spec: SPEC, breaker: CLOSED, clock: CLOCK, head: 7 });
  sql.all("INSERT INTO migration (step, cursor) VALUES (?, NULL)", LANE_TABLES.last + 1);

  expect(() => new LaneStore(sql)).toThrow(
    "the lane of the endpoint was written by a later version: its tables are at step 4, and this version knows only 3",
  );
  expect(sql.all("SELECT head FROM lane")).toEqual([{ head: 7 }]);
});

test("a lane without tables stays so until it is made", () => {
  const sql = new NodeSql();
  const store = new LaneStore(sql);
  expect(store.readState()).toBeUndefined();
  store.create({ spec: SPEC, breaker: CLOSED, clock: CLOCK, head: 1 });
  expect(store.purgedMs()).toBe(START_MS);
});
