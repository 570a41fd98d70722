import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { TriggerFilter } from "#modules/orchestration/triggers/matching/filter.ts";
import { ownerOf } from "#modules/orchestration/triggers/matching/select.ts";
import { readTriggers } from "#modules/orchestration/triggers/store.ts";
import { freshClient } from "#test/support/auth/clients.ts";
import {
  containing,
  deliver,
  eventOf,
  newTrigger,
  occurrencesOf,
  storedOf,
  triggerContext,
  untilFired,
} from "#test/support/orchestration/triggers.ts";
import { api, bodyOf } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const BURNER = "all(1..30000, # > 0)";
const client = () => freshClient("orchestration:write", "payments:read");

async function workOf(id: string): Promise<unknown> {
  const response = await api(`/api/florin/v1/triggers/${id}/work`);
  return ((await bodyOf(response)) as { data: unknown }).data; // the schema of the answer has this shape
}

/** The object that evaluates the filters of a trigger. */
async function laneOf(id: string) {
  const all = await readTriggers(triggerContext, { where: undefined });
  const trigger = all.find((it) => it.id === id);
  if (trigger === undefined) throw new Error(`no trigger ${id}`);
  return env.TRIGGER_LANES.getByName(ownerOf(trigger));
}

test("no filter is evaluated by the consumer of events, and an index decides what it can", async () => {
  const judged = vi.spyOn(TriggerFilter.prototype, "judge");
  const { id, event } = await newTrigger({ filter: 'event.kind == "a"' });
  const others = await Promise.all(
    ["b", "c"].map((kind) => newTrigger({ event, filter: `event.kind == "${kind}" && ${BURNER}` })),
  );
  await deliver([eventOf(event, { kind: "a" })]);
  await untilFired(id);

  expect(judged).not.toHaveBeenCalled();
  expect(await workOf(others[0]?.id ?? "")).toMatchObject({ evaluations: 0, waiting: 0 });
});

test("an owner whose budget is used waits in order, and delays nobody else", async () => {
  const burning = await newTrigger({ filter: BURNER }, await client());
  const events = Array.from({ length: 40 }, (_, n) => eventOf(burning.event, { n }));
  const other = await newTrigger({ event: burning.event, filter: "event.n >= 0" }, await client());
  await deliver(events);
  await untilFired(other.id, events.length);

  const work = await eventually(async () => {
    const found = await workOf(burning.id);
    expect(found).toMatchObject({ waitingSince: containing("T"), refused: 0, failures: 0 });
    return found as { waiting: number; evaluations: number; steps: number }; // the schema of the answer has this shape
  });
  expect(work.waiting + work.evaluations).toBe(events.length);
  expect(work.steps / Math.max(1, work.evaluations)).toBeGreaterThan(
    work.evaluations === 0 ? -1 : 60_000,
  );
  await api(`/api/orchestration/v2/triggers/${burning.id}`, { method: "DELETE" });
});

test("an event that was accepted is evaluated after an eviction, and fires once if it comes again", async () => {
  const { id, event } = await newTrigger({ filter: "event.n > 0" }, await client());
  const sent = eventOf(event, { n: 1 });
  await deliver([sent]);
  await evict(await laneOf(id));
  await untilFired(id);
  await deliver([sent, sent]);
  await eventually(async () => expect(await workOf(id)).toMatchObject({ waiting: 0 }));

  expect(await storedOf(id)).toHaveLength(1);
});

test("a filter that fails is told at its trigger, and as one occurrence", async () => {
  const { id, event } = await newTrigger({ filter: "event.a.b > 1" }, await client());
  await deliver([eventOf(event, {}), eventOf(event, {}), eventOf(event, { a: { b: 2 } })]);
  await eventually(async () => expect(await workOf(id)).toMatchObject({ evaluations: 3 }));

  expect(await workOf(id)).toMatchObject({
    failures: 2,
    matches: 1,
    lastError: { message: "cannot fetch b from <nil>", eventID: containing("test:") },
  });
  const occurrences = await untilFired(id, 2);
  expect(occurrences.filter(({ error }) => error !== undefined)).toMatchObject([
    { error: "filter: cannot fetch b from <nil>", event: { type: event } },
  ]);
});

test("a trigger that is deleted while events wait for it fires for none of them", async () => {
  const { id, event } = await newTrigger({ filter: `${BURNER} && event.n > 0` }, await client());
  const lane = await laneOf(id);
  await deliver(Array.from({ length: 60 }, (_, n) => eventOf(event, { n: n + 1 })));
  await api(`/api/orchestration/v2/triggers/${id}`, { method: "DELETE" });
  const before = (await storedOf(id)).length;
  const row = (await readTriggers(triggerContext, { where: undefined })).find((it) => it.id === id);
  await eventually(async () =>
    expect(await lane.figures(row?.key ?? 0)).toMatchObject({ waiting: 0 }),
  );

  expect((await storedOf(id)).length).toBeLessThan(60);
  expect(before).toBeLessThan(60);
});

test("a lane that cannot be reached has its events kept by the database, and they fire once it is there again", async () => {
  const away = vi.spyOn(env.TRIGGER_LANES, "getByName").mockImplementation(() => {
    throw new Error("unreachable");
  });
  const { id, event } = await newTrigger({ filter: "event.n > 0" }, await client());
  await deliver([eventOf(event, { n: 1 }), eventOf(event, { n: 0 })]);
  expect(await storedOf(id)).toHaveLength(2);
  away.mockRestore();

  expect(await untilFired(id)).toHaveLength(1);
  await eventually(async () => expect(await storedOf(id)).toHaveLength(1));
  expect(await occurrencesOf(id)).toHaveLength(1);
});

test("the figures of a trigger that is not there are not found", async () => {
  expect((await api("/api/florin/v1/triggers/none/work")).status).toBe(404);
});
