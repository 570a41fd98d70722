import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fireOccurrences } from "#modules/orchestration/triggers/firing/fire.ts";
import { consumeOccurrences } from "#modules/orchestration/triggers/firing/queue.ts";
import { sweepOccurrences } from "#modules/orchestration/triggers/firing/sweep.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { fromMillis } from "#platform/time.ts";
import { freshClient } from "#test/support/auth/clients.ts";
import {
  containing,
  deliver,
  eventOf,
  later,
  loseMessages,
  newTrigger,
  newWorkflow,
  occurrencesOf,
  storedOf,
  triggerContext,
  untilFired,
  variablesOf,
} from "#test/support/orchestration/triggers.ts";
import { api } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

async function instanceCount(): Promise<number> {
  const row = await env.DB.prepare("SELECT count(*) AS count FROM orchestration_instances").first<{
    count: number;
  }>();
  return row?.count ?? 0;
}

describe("an occurrence", () => {
  test.each([
    ["", 60_000],
    [", also if the clock has stepped back by a day", -86_400_000],
  ])(
    "a trigger's occurrence whose message is lost is announced by the sweep%s",
    async (_when, milliseconds) => {
      const lost = loseMessages();
      const { id, event } = await newTrigger();
      await deliver([eventOf(event, {})]);
      expect(await storedOf(id)).toMatchObject([{ state: "fire" }]);
      lost.mockRestore();
      await sweepOccurrences(later(milliseconds));

      expect(await untilFired(id)).toHaveLength(1);
    },
  );

  test("a trigger's occurrence starts one instance, by two at once and again after a crash", async () => {
    loseMessages();
    const { id, event } = await newTrigger();
    await deliver([eventOf(event, {})]);
    const [occurrence] = await storedOf(id);
    const occurrenceId = occurrence?.id ?? "";
    const before = await instanceCount();
    await Promise.all([1, 2, 3].map(() => fireOccurrences(triggerContext, [occurrenceId])));
    await eventually(async () => expect(await storedOf(id)).toMatchObject([{ state: "done" }]));
    // Takes the occurrence back to its state before the result was stored, as a killed process leaves it.
    await env.DB.prepare(
      "UPDATE orchestration_occurrences SET state = 'fire', due_at = '2020-01-01T00:00:00.000000Z', lease_until = NULL, instance_id = NULL WHERE id = ?",
    )
      .bind(occurrenceId)
      .run();
    await fireOccurrences(triggerContext, [occurrenceId]);

    expect(await storedOf(id)).toMatchObject([{ state: "done" }]);
    expect(await occurrencesOf(id)).toHaveLength(1);
    expect(await instanceCount()).toBe(before + 1);
  });

  test("a trigger's occurrence is fired with others, each once, whatever becomes of the others", async () => {
    loseMessages();
    const good = await newTrigger({ vars: { n: "event.n" } });
    const bad = await newTrigger({ event: good.event, vars: { n: "event.a.b.c" } });
    await deliver(Array.from({ length: 8 }, (_, n) => eventOf(good.event, { n })));
    const ids = [...(await storedOf(good.id)), ...(await storedOf(bad.id))].map(({ id }) => id);
    await Promise.all([1, 2].map(() => fireOccurrences(triggerContext, ids)));
    await fireOccurrences(triggerContext, ids);

    const fired = await occurrencesOf(good.id);
    const values = await Promise.all(
      fired.map(({ workflowInstanceID }) => variablesOf(workflowInstanceID)),
    );
    expect(values).toEqual(Array.from({ length: 8 }, (_, n) => ({ n: String(n) })));
    const failed = await occurrencesOf(bad.id);
    expect(failed).toHaveLength(8);
    expect(failed).toMatchObject(failed.map(() => ({ error: containing("variable 'n'") })));
  });

  test("a trigger's occurrence that cannot be fired holds back none of those that are fired with it", async () => {
    loseMessages();
    const { id, event } = await newTrigger();
    const broken = await newTrigger({ event });
    await deliver([eventOf(event, {})]);
    const stored = [...(await storedOf(broken.id)), ...(await storedOf(id))];
    await env.DB.prepare("UPDATE orchestration_occurrences SET event = '{' WHERE id = ?")
      .bind(stored[0]?.id ?? "")
      .run();
    await fireOccurrences(
      triggerContext,
      stored.map((occurrence) => occurrence.id),
    );

    expect(await storedOf(id)).toMatchObject([{ state: "done" }]);
    expect(await storedOf(broken.id)).toMatchObject([{ state: "fire", attempts: 1 }]);
  });

  test.each([
    [{}, "SUCCEEDED_TRIGGER", ["id", "triggerID", "workflowInstanceID"]],
    [{ vars: { a: "event.a.b" } }, "FAILED_TRIGGER", ["id", "triggerID", "error"]],
  ])("an occurrence of a trigger with %j ends with the event %s", async (...row) => {
    const [trigger, type, members] = row;
    const published = vi.spyOn(Outbox.prototype, "publish");
    const { id, event } = await newTrigger(trigger);
    await deliver([eventOf(event, {})]);
    const [occurrence] = await untilFired(id);

    const events = published.mock.calls.flatMap(([{ events }]) => events.map((it) => it.event));
    const ended = events.filter((it) => it.type === type);
    expect(ended).toHaveLength(1);
    expect(Object.keys(ended[0]?.payload ?? {})).toEqual(members);
    expect(ended[0]).toMatchObject({
      app: "orchestration",
      version: "v2",
      payload: { id: occurrence?.id, triggerID: id },
    });
  });

  test("a trigger's occurrence that somebody else fires is left alone until the lease is over", async () => {
    loseMessages();
    const { id, event } = await newTrigger();
    await deliver([eventOf(event, {})]);
    const [occurrence] = await storedOf(id);
    const occurrenceId = occurrence?.id ?? "";
    await env.DB.prepare("UPDATE orchestration_occurrences SET lease_until = ? WHERE id = ?")
      .bind(fromMillis(Date.now() + 60_000), occurrenceId)
      .run();
    await fireOccurrences(triggerContext, [occurrenceId]);
    expect(await storedOf(id)).toMatchObject([{ state: "fire" }]);
    await fireOccurrences(later(120_000), [occurrenceId]);

    expect(await storedOf(id)).toMatchObject([{ state: "done" }]);
  });

  test("a trigger's occurrence of a message that is malformed or unknown holds up no other", async () => {
    loseMessages();
    const { id, event } = await newTrigger();
    await deliver([eventOf(event, {})]);
    const [occurrence] = await storedOf(id);
    const fates: string[] = [];
    const bodies = [{}, { id: "unknown", trigger: 1 }, { id: occurrence?.id, trigger: 1 }];
    const messages = bodies.map((body, place): Message => ({
      id: `${place}`,
      timestamp: new Date(),
      body,
      attempts: 1,
      ack: () => void (fates[place] = "ack"),
      retry: () => void (fates[place] = "retry"),
    }));
    await consumeOccurrences(
      {
        queue: "florin-triggers",
        messages,
        metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
        ackAll: () => undefined,
        retryAll: () => undefined,
      },
      triggerContext,
    );

    expect(fates).toEqual(["ack", "ack", "ack"]);
    expect(await storedOf(id)).toMatchObject([{ state: "done" }]);
  });

  test("a trigger's occurrence whose variables are too large fails for good", async () => {
    const { id, event } = await newTrigger({ vars: { a: "event.text" } });
    await deliver([eventOf(event, { text: "a".repeat(70_000) })]);
    const [occurrence] = await untilFired(id);

    expect(occurrence?.error).toContain("the variables are larger than");
    expect(occurrence).not.toHaveProperty("workflowInstanceID");
  });

  test("a trigger's occurrence of an event that is too large to be stored fails for good", async () => {
    const { id, event } = await newTrigger({ vars: { a: "event.id" } });
    await deliver([eventOf(event, { id: "7", text: "a".repeat(500_000) })]);
    const [occurrence] = await untilFired(id);

    expect(occurrence).toMatchObject({ error: "the event is longer than 500000 characters" });
    expect(occurrence).not.toHaveProperty("workflowInstanceID");
  });

  test("a trigger's occurrence acts for the creator of the trigger, with the scopes of that one", async () => {
    const { id, event } = await newTrigger(
      { workflowID: await newWorkflow([{ update: { account: { id: "a", metadata: {} } } }]) },
      await freshClient("orchestration:write", "payments:read"),
    );
    await deliver([eventOf(event, {})]);
    const [occurrence] = await untilFired(id);

    await eventually(async () => {
      const response = await api(
        `/api/orchestration/v2/instances/${occurrence?.workflowInstanceID}`,
      );
      expect(await response.json()).toMatchObject({
        data: {
          terminated: true,
          error: containing("started without the scope ledger:write"),
        },
      });
    });
  });
});
