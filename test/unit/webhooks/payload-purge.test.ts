import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  keepUntilMsOf,
  PURGE_ROWS,
  purgePayloads,
  type PurgePorts,
} from "#modules/webhooks/bodies/payload-purge.ts";
import { PayloadStore } from "#modules/webhooks/bodies/payload-store.ts";
import type { LaneNeed } from "#modules/webhooks/core/lane.ts";
import { webhookSettings } from "#modules/webhooks/settings.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.parse("2026-03-01T12:00:00Z");
const settings = webhookSettings.of({}); // the defaults: 30 days, 90 days, and 5 days

let d1: NodeD1;
let store: PayloadStore;
/** For each lane: the time until which it needs the body of each event, `"pending"`, or an error in place of its answer. */
let lanes: Record<string, Record<string, number | "pending"> | Error>;
/** The number of times that each lane was asked. */
let asked: Record<string, number>;

beforeEach(() => {
  d1 = new NodeD1();
  d1.migrate();
  store = new PayloadStore(d1.db);
  [lanes, asked] = [{}, {}];
  vi.spyOn(console, "error").mockReturnValue(undefined);
});
afterEach(() => vi.restoreAllMocks());

const arrive = (ids: readonly string[], nowMs = START_MS) =>
  store.insert(new Map(ids.map((id) => [id, `body of ${id}`])), {
    nowMs,
    keepUntilMs: keepUntilMsOf(settings, nowMs),
  });

const ask: PurgePorts["ask"] = async (configId, ids) => {
  asked[configId] = (asked[configId] ?? 0) + 1;
  const needs = lanes[configId] ?? {};
  if (needs instanceof Error) throw needs;
  return ids.flatMap((id, place): LaneNeed[] => {
    const until = needs[id];
    if (until === undefined) return [];
    return [until === "pending" ? { place } : { place, untilMs: until }];
  });
};

/** Purges `days` days after the start; returns the day of the next purge. */
async function purgeAfter(days: number): Promise<number | undefined> {
  const nextMs = await purgePayloads({
    store,
    settings,
    nowMs: START_MS + days * DAY_MS,
    lanes: async () => Object.keys(lanes),
    ask,
    atOnce: (most) => most,
  });
  return nextMs === undefined ? undefined : (nextMs - START_MS) / DAY_MS;
}

const kept = () =>
  d1.rows("SELECT event_id FROM webhook_payloads ORDER BY event_id").map((row) => row["event_id"]);

test("a body that all endpoints have taken goes after the retention of a success, and was written once", async () => {
  const endMs = START_MS + 30 * DAY_MS + 1000;
  lanes = { one: { a: endMs }, two: { a: endMs } };
  await arrive(["a"]);
  const writes: string[] = [];
  d1.onStatement = (text) => {
    if (/^\s*(insert|update|delete)/i.test(text)) writes.push(text);
  };
  expect(await purgeAfter(30)).toBeCloseTo(30 + 2 / 24, 5);
  expect(kept()).toEqual(["a"]);
  expect(asked).toEqual({});
  expect(writes).toEqual([]);
  expect(await purgeAfter(30.1)).toBeUndefined();
  expect(kept()).toEqual([]);
  expect(asked).toEqual({ one: 1, two: 1 });
});

test("a body of which one delivery has failed stays until that one is over, and replays prolong it", async () => {
  await arrive(["a", "b"]);
  lanes = {
    one: { a: START_MS + 30 * DAY_MS, b: START_MS + 30 * DAY_MS },
    two: { a: START_MS + 90 * DAY_MS },
  };
  expect(await purgeAfter(31)).toBeCloseTo(90 + 1 / 24, 5);
  expect(kept()).toEqual(["a"]);
  // The purge does not ask about the body again before its date.
  await purgeAfter(60);
  expect(asked).toEqual({ one: 1, two: 1 });
  // First a replay succeeds on the 80th day, and then another replay is pending.
  lanes["two"] = { a: START_MS + 110 * DAY_MS };
  await purgeAfter(90.1);
  lanes["two"] = { a: "pending" };
  expect(await purgeAfter(110.1)).toBeCloseTo(111.1 + 1 / 24, 5);
  expect(kept()).toEqual(["a"]);
  expect((await store.read(["a"])).get("a")).toBe("body of a");
  lanes["two"] = {};
  await purgeAfter(112);
  expect(kept()).toEqual([]);
});

test("a body that a lane has not taken yet stays, and so does one whose event has come again", async () => {
  await arrive(["owed", "again", "over"]);
  d1.rows(
    `INSERT INTO webhook_owed (config_id, revision, batch, created_at, due_at)
     VALUES ('one', 1, '{"origin":{"source":"outbox"},"events":[{"position":"owed"}]}', '', '')`,
  );
  await arrive(["again"], START_MS + 30 * DAY_MS);
  await purgeAfter(30.2);
  expect(kept()).toEqual(["again", "owed"]);
  d1.rows("DELETE FROM webhook_owed");
  await purgeAfter(70);
  expect(kept()).toEqual([]);
});

test("an event that comes again while lanes are asked keeps its body", async () => {
  await arrive(["a"]);
  lanes = { one: {} };
  const nowMs = START_MS + 31 * DAY_MS;
  await purgePayloads({
    store,
    settings,
    nowMs,
    lanes: async () => ["one"],
    ask: async () => {
      await arrive(["a"], nowMs);
      return [];
    },
    atOnce: (most) => most,
  });
  expect(kept()).toEqual(["a"]);
});

test("a lane that does not answer keeps bodies for 95 days at most, and is asked again in ten minutes", async () => {
  await arrive(["a"]);
  await arrive(["b"], START_MS + 10 * DAY_MS);
  lanes = { one: { b: START_MS + 40 * DAY_MS }, dead: new Error("it hangs") };
  expect(await purgeAfter(50)).toBeCloseTo(50 + 1 / 144, 5);
  expect(kept()).toEqual(["a", "b"]);
  await purgeAfter(95.01);
  expect(kept()).toEqual(["b"]);
  lanes["dead"] = {};
  expect(await purgeAfter(95.02)).toBeUndefined();
  expect(kept()).toEqual([]);
});

test("bodies that were not purged for a year go in parts of bounded size, of which each asks a lane once", async () => {
  const count = 2 * PURGE_ROWS + 10;
  d1.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO webhook_payloads (event_id, body, created_ms, keep_until_ms)
     SELECT 'event-' || i, x'01', ${START_MS} + i, ${START_MS} + i FROM n`,
  );
  lanes = { one: { "event-5": START_MS + 400 * DAY_MS } };
  const removed: number[] = [];
  for (let left = count; ;) {
    const next = await purgeAfter(365);
    removed.push(left - kept().length);
    left = kept().length;
    if (next !== 365) break;
  }
  expect(removed).toEqual([PURGE_ROWS - 1, PURGE_ROWS, 10]);
  expect(asked).toEqual({ one: 3 });
  expect(kept()).toEqual(["event-5"]);
});
