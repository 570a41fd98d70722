import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { triggerListener } from "#modules/orchestration/triggers/event-listener.ts";
import { fireOccurrences } from "#modules/orchestration/triggers/firing/fire.ts";
import { sweepOccurrences } from "#modules/orchestration/triggers/firing/sweep.ts";
import { ownerOf } from "#modules/orchestration/triggers/matching/select.ts";
import { readTriggers } from "#modules/orchestration/triggers/store.ts";
import { freshClient } from "#test/support/auth/clients.ts";
import {
  containing,
  deliver,
  eventOf,
  later,
  loseMessages,
  newTrigger,
  occurrencesOf,
  storedOf,
  triggerContext,
  untilFired,
} from "#test/support/orchestration/triggers.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { countedBindings } from "#test/support/platform/counted-rows.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** The most events that may wait in a lane. */
const LANE_EVENTS_MAX = 100_000;
const client = () => freshClient("orchestration:write", "payments:read");

async function workOf(id: string): Promise<unknown> {
  const response = await api(`/api/florin/v1/triggers/${id}/work`);
  return ((await bodyOf(response)) as { data: unknown }).data; // the schema of the answer has this shape
}

/** The object that keeps the budget of a trigger's owner. */
async function laneOf(id: string) {
  const all = await readTriggers(triggerContext, { where: undefined });
  const trigger = all.find((it) => it.id === id);
  if (trigger === undefined) throw new Error(`no trigger ${id}`);
  return env.TRIGGER_LANES.getByName(ownerOf(trigger));
}

type Lane = Awaited<ReturnType<typeof laneOf>>;

const withSql = (lane: Lane, ...statements: readonly string[]): Promise<void> =>
  runInDurableObject(lane, (_, { storage }) => {
    for (const statement of statements) storage.sql.exec(statement);
  });

/** Sets the steps that an owner has left. */
const setBudget = (lane: Lane, steps: number): Promise<void> =>
  withSql(lane, `INSERT OR REPLACE INTO budget VALUES (1, ${steps}, ${Date.now()})`);

/** The stored budget of the lane, without the steps that the time since its last change adds. */
const storedBudget = (lane: Lane): Promise<number> =>
  runInDurableObject(lane, (_, { storage }) =>
    Number(storage.sql.exec("SELECT steps FROM budget").one()["steps"]),
  );

const USED = -1_000_000_000;

test("variables, and filters that read links, take from the budget of the trigger's owner, and wait where it is used", async () => {
  loseMessages();
  const { id, event } = await newTrigger({ vars: { sum: "len(1..40000)" } }, await client());
  const other = await newTrigger({ event, vars: { n: "event.n" } }, await client());
  const lane = await laneOf(id);
  await setBudget(lane, 1_000_000);
  await deliver([eventOf(event, { n: 1 })]);
  const [first] = await storedOf(id);
  await fireOccurrences(triggerContext, [first?.id ?? ""]);
  expect(await storedOf(id)).toMatchObject([{ state: "done" }]);
  expect(await storedBudget(lane)).toBeLessThan(970_000);

  await setBudget(lane, USED);
  await deliver([eventOf(event, { n: 2 })]);
  const fire = async (trigger: string) => {
    const open = (await storedOf(trigger)).filter(({ state }) => state === "fire");
    await fireOccurrences(
      triggerContext,
      open.map((occurrence) => occurrence.id),
    );
  };
  await fire(id);
  await fire(other.id);
  expect(await storedOf(id)).toContainEqual(
    expect.objectContaining({ state: "fire", attempts: 0 }),
  );
  expect(await workOf(id)).toMatchObject({ pending: 1 });
  expect(await storedOf(other.id)).toMatchObject([{ state: "done" }, { state: "done" }]);

  await setBudget(lane, 1_000_000);
  await eventually(async () => {
    await fire(id);
    expect(await storedOf(id)).toMatchObject([{ state: "done" }, { state: "done" }]);
  });
  expect(await workOf(id)).toMatchObject({ pending: 0 });
});

test("the events of an owner whose lane is full are kept by the database, hold up nobody, and fire when there is room", async () => {
  const { id, event } = await newTrigger({ filter: "event.n > 0" }, await client());
  const other = await newTrigger({ event, filter: "event.n >= 0" }, await client());
  const lane = await laneOf(id);
  await setBudget(lane, USED);
  await withSql(
    lane,
    `INSERT INTO work (event_id, at_ms, triggers, event)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${LANE_EVENTS_MAX})
     SELECT 'filler:' || i, 0, '[0]', '{}' FROM n`,
  );
  await deliver([eventOf(event, { n: 1 }), eventOf(event, { n: 0 })]);

  await untilFired(other.id, 2);
  expect(await workOf(id)).toMatchObject({ refused: 2, waiting: 0, pending: 2 });
  expect(await storedOf(id)).toMatchObject([{ state: "filter" }, { state: "filter" }]);

  await withSql(lane, "DELETE FROM work");
  await setBudget(lane, 1_000_000);
  await eventually(async () => {
    await sweepOccurrences(later(300_000));
    expect(await storedOf(id)).toMatchObject([{ state: "done" }]);
  });
  expect(await occurrencesOf(id)).toMatchObject([{ workflowInstanceID: containing("-") }]);
});

test("an event reads as many rows of triggers, however many triggers its type has", async () => {
  const { event } = await newTrigger({ filter: 'event.kind == "wanted"' });
  const counted = countedBindings();
  const context = { ...triggerContext, env: counted.env };
  const rowsOf = async (): Promise<number> => {
    counted.take();
    const sink = await triggerListener.open([], context);
    await sink?.([eventOf(event, { kind: "wanted" })], { source: "outbox", ids: [] });
    return counted.take();
  };
  await rowsOf();
  const few = await rowsOf();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO orchestration_triggers (id, name, event, filter, workflow_key, vars, principal, created_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
       SELECT id || '-' || i, name, event, 'event.kind == "k' || i || '"', workflow_key, vars, principal, created_at
       FROM n, orchestration_triggers WHERE event = ?`,
    ).bind(event),
    env.DB.prepare("UPDATE orchestration_trigger_generation SET generation = generation || '+'"),
  ]);
  // The isolate reads all triggers once after a change of them.
  expect(await rowsOf()).toBeGreaterThan(1000);
  expect(await rowsOf()).toBe(few);
  expect(few).toBeLessThan(20);
  await env.DB.batch([
    env.DB.prepare(
      "DELETE FROM orchestration_triggers WHERE event = ? AND id LIKE '%-%-%-%-%-%'",
    ).bind(event),
    env.DB.prepare("UPDATE orchestration_trigger_generation SET generation = generation || '+'"),
  ]);
});

test("a trigger that is created or deleted counts from the next event on, in every isolate", async () => {
  const type = freshName("EVENT");
  await newTrigger({ event: type });
  await deliver([eventOf(type, {})]);
  const { id } = await newTrigger({ event: type });
  await deliver([eventOf(type, {})]);
  await api(`/api/orchestration/v2/triggers/${id}`, { method: "DELETE" });
  await deliver([eventOf(type, {})]);

  expect(await storedOf(id)).toHaveLength(1);
});

test("a lane that is killed at any moment loses no event and fires for none twice", async () => {
  const { id, event } = await newTrigger({ filter: "event.n >= 0" }, await client());
  const lane = await laneOf(id);
  const moments = [0, 1, 2, 4, 8, 16, 32];
  for (const [n, waitMs] of moments.entries()) {
    await deliver([eventOf(event, { n })]);
    await scheduler.wait(waitMs);
    await evict(lane);
  }
  const fired = await untilFired(id, moments.length);
  expect(fired).toHaveLength(moments.length);
  expect(await storedOf(id)).toHaveLength(moments.length);
  expect(new Set(fired.map(({ workflowInstanceID }) => workflowInstanceID)).size).toBe(
    moments.length,
  );
});
