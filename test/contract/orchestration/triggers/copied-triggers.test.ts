import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { causeTimeOf } from "#modules/orchestration/activities/cause-time.ts";
import { present } from "#platform/assert.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { parseTimestamp, ZERO_TIMESTAMP } from "#platform/time.ts";
import {
  deliver,
  eventOf,
  newTrigger,
  newWorkflow,
  storedOf,
  triggerContext,
  untilFired,
} from "#test/support/orchestration/triggers.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** The instance that a new trigger starts for an event. */
async function startedBy(payload: unknown, more: Partial<PlatformEvent> = {}): Promise<string> {
  const { id, event } = await newTrigger();
  await deliver([{ ...eventOf(event, payload), ...more }]);
  const [occurrence] = await untilFired(id);
  return present(occurrence?.workflowInstanceID, "the trigger has started it");
}

/** Forgets that a trigger has fired, as a copy does whose moment was before. */
const forget = (triggerId: string) =>
  env.DB.batch([
    env.DB.prepare(
      `DELETE FROM orchestration_instances WHERE id IN (
        SELECT instance_id FROM orchestration_occurrences AS o
        JOIN orchestration_triggers AS t ON t.key = o.trigger_key WHERE t.id = ?)`,
    ).bind(triggerId),
    env.DB.prepare(
      "DELETE FROM orchestration_occurrences WHERE trigger_key = (SELECT key FROM orchestration_triggers WHERE id = ?)",
    ).bind(triggerId),
  ]);

/** The instances that a trigger starts for an event in a deployment and in a copy of it, which gets the object with another event. */
async function startedInBoth(
  trigger: Parameters<typeof newTrigger>[0],
  payload: unknown,
): Promise<(string | undefined)[]> {
  const { id, event } = await newTrigger(trigger);
  const started: (string | undefined)[] = [];
  for (let count = 0; count < 2; count++) {
    await deliver([eventOf(event, payload)]);
    const [occurrence] = await untilFired(id);
    started.push(occurrence?.workflowInstanceID);
    await forget(id);
  }
  return started;
}

describe("a copy of a deployment", () => {
  test.each([
    ["SAVED_PAYMENT", undefined],
    ["SAVED_ACCOUNT", undefined],
    ["SAVED_PAYMENT", 'link(event, "owner").role == "admin"'],
  ])(
    "a copy's trigger starts for the same object of %s the same instance as the original's (filter %s)",
    async (event, filter) => {
      vi.spyOn(globalThis, "fetch").mockImplementation(
        async () => new Response(JSON.stringify({ data: { role: "admin" } })),
      );
      const links = [{ name: "owner", uri: "http://127.0.0.1:9/owner" }];
      const [first, second] = await startedInBoth(
        { event, ...(filter === undefined ? {} : { filter }) },
        { id: freshName("object"), links },
      );
      expect(first).toBeDefined();
      expect(second).toBe(first);
    },
  );

  test("a copy's trigger starts for another event another instance, also if it names the same object", async () => {
    const [first, second] = await startedInBoth({}, { id: freshName("object") });
    expect(second).not.toBe(first);
  });

  test("a copy's trigger whose filter reads links fires once for an object, whatever events come", async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(
      async () => new Response(JSON.stringify({ data: { role: "admin" } })),
    );
    const { id, event } = await newTrigger({
      event: "SAVED_PAYMENT",
      filter: 'link(event, "owner").role == "admin"',
    });
    const links = [{ name: "owner", uri: "http://127.0.0.1:9/owner" }];
    const payload = { id: freshName("payment"), links };
    await deliver([eventOf(event, payload), eventOf(event, payload)]);
    await untilFired(id);
    await deliver([eventOf(event, payload)]);
    await eventually(async () => expect(await storedOf(id)).toMatchObject([{ state: "done" }]));
  });
});

describe("the cause of an instance", () => {
  const OLD = "2024-02-03T04:05:06Z";
  const old = present(parseTimestamp(OLD), "it is a time");

  test.each([
    ["the creation of a payment", { createdAt: OLD }],
    ["the time of a transaction", { transactions: [{ timestamp: OLD, metadata: {} }] }],
    ["the time of a reversal", { revertTransaction: { timestamp: OLD } }],
  ])("the cause of an instance is as old as %s", async (_what, payload) => {
    expect(await causeTimeOf({ env }, await startedBy(payload))).toBe(old);
  });

  test("the cause of an instance is as old as its event, and times that are none do not count", async () => {
    expect(await causeTimeOf({ env }, await startedBy({ createdAt: "soon" }, { date: old }))).toBe(
      old,
    );
    const before = triggerContext.clock();
    for (const payload of [null, 5, [], { transactions: 5, createdAt: 7 }]) {
      const time = await causeTimeOf({ env }, await startedBy(payload));
      expect(time >= before).toBe(true);
    }
  });

  test("the cause of an instance that another instance has led to is that of the first one", async () => {
    const metadata = { "orchestration/instance": await startedBy({ createdAt: OLD }) };
    const second = await startedBy({ transactions: [{ metadata }] });
    const third = await startedBy({ metadata: { "orchestration/instance": second } });
    expect(await causeTimeOf({ env }, third)).toBe(old);
  });

  test("the cause of an instance is its start if a client has started it, and long ago if nobody knows it", async () => {
    const workflow = await newWorkflow();
    const path = `/api/orchestration/v2/workflows/${workflow}/instances`;
    const { data } = (await bodyOf(await api(path, { body: {} }))) as {
      data: { id: string; createdAt: string };
    }; // the schema of the answer has this shape
    const created = parseTimestamp(data.createdAt);
    expect(await causeTimeOf({ env }, data.id)).toBe(created);
    expect(await causeTimeOf({ env }, crypto.randomUUID())).toBe(ZERO_TIMESTAMP);
    const purged = await startedBy({ createdAt: OLD });
    await env.DB.prepare("UPDATE orchestration_occurrences SET event = '' WHERE instance_id = ?")
      .bind(purged)
      .run();
    expect(await causeTimeOf({ env }, purged)).toBe(ZERO_TIMESTAMP);
    const metadata = { "orchestration/instance": "unknown" };
    expect(await causeTimeOf({ env }, await startedBy({ metadata }))).toBe(ZERO_TIMESTAMP);
  });
});
