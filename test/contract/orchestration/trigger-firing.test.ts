import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fireOccurrences } from "#modules/orchestration/triggers/firing/fire.ts";
import { consumeOccurrences } from "#modules/orchestration/triggers/firing/queue.ts";
import { sweepOccurrences } from "#modules/orchestration/triggers/firing/sweep.ts";
import { LinkError, readLink } from "#modules/orchestration/triggers/link-reader.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { fromMillis } from "#platform/time.ts";
import { freshClient } from "#test/support/auth/clients.ts";
import {
  containing,
  deliver,
  eventOf,
  newTrigger,
  newWorkflow,
  occurrencesOf,
  triggerContext,
  untilFired,
  variablesOf,
} from "#test/support/orchestration/triggers.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

const PUBLIC_URL = "https://florin.example";
const publicEnv = { ...env, FLORIN_PUBLIC_URL: PUBLIC_URL };

afterEach(() => {
  vi.restoreAllMocks();
});

/** A context whose clock is so much later. */
const later = (milliseconds: number): ServiceContext => ({
  ...triggerContext,
  clock: () => fromMillis(Date.now() + milliseconds),
});

interface StoredOccurrence {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
}

async function storedOf(triggerId: string): Promise<StoredOccurrence[]> {
  const { results } = await env.DB.prepare(
    `SELECT o.id, state, attempts FROM orchestration_occurrences o
     JOIN orchestration_triggers t ON t.key = trigger_key WHERE t.id = ?`,
  )
    .bind(triggerId)
    .all<StoredOccurrence>();
  return results;
}

async function instanceCount(): Promise<number> {
  const row = await env.DB.prepare("SELECT count(*) AS count FROM orchestration_instances").first<{
    count: number;
  }>();
  return row?.count ?? 0;
}

/** No message of the queue arrives. */
const loseMessages = () => vi.spyOn(env.TRIGGERS, "sendBatch").mockRejectedValue(new Error("lost"));

const answer = (status: number, body: unknown) =>
  vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => new Response(JSON.stringify(body), { status }));

describe("an occurrence", () => {
  test.each([
    ["", 60_000],
    [", also if the clock has stepped back by a day", -86_400_000],
  ])("whose message is lost is announced by the sweep%s", async (_when, milliseconds) => {
    const lost = loseMessages();
    const { id, event } = await newTrigger();
    await deliver([eventOf(event, {})]);
    expect(await storedOf(id)).toMatchObject([{ state: "fire" }]);
    lost.mockRestore();
    await sweepOccurrences(later(milliseconds));

    expect(await untilFired(id)).toHaveLength(1);
  });

  test("starts one instance, by two at once and again after a crash", async () => {
    loseMessages();
    const { id, event } = await newTrigger();
    await deliver([eventOf(event, {})]);
    const [occurrence] = await storedOf(id);
    const occurrenceId = occurrence?.id ?? "";
    const before = await instanceCount();
    await Promise.all([1, 2, 3].map(() => fireOccurrences(triggerContext, [occurrenceId])));
    await eventually(async () => expect(await storedOf(id)).toMatchObject([{ state: "done" }]));
    // As if the process was killed before it stored that it was done.
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

  test("is fired with others, each once, whatever becomes of the others", async () => {
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

  test("that cannot be fired holds back none of those that are fired with it", async () => {
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
  ])("of a trigger with %j ends with the event %s", async (...row) => {
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

  test("that somebody else fires is left alone until the lease is over", async () => {
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

  test("of a message that is malformed or unknown holds up no other", async () => {
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

  test("whose variables are too large fails for good", async () => {
    const { id, event } = await newTrigger({ vars: { a: "event.text" } });
    await deliver([eventOf(event, { text: "a".repeat(70_000) })]);
    const [occurrence] = await untilFired(id);

    expect(occurrence?.error).toContain("the variables are larger than");
    expect(occurrence).not.toHaveProperty("workflowInstanceID");
  });

  test("of an event that is too large to be stored fails for good", async () => {
    const { id, event } = await newTrigger({ vars: { a: "event.id" } });
    await deliver([eventOf(event, { id: "7", text: "a".repeat(500_000) })]);
    const [occurrence] = await untilFired(id);

    expect(occurrence).toMatchObject({ error: "the event is longer than 500000 characters" });
    expect(occurrence).not.toHaveProperty("workflowInstanceID");
  });

  test("acts for the creator of the trigger, with the scopes of that one", async () => {
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

describe("a link", () => {
  const links = [{ name: "owner", uri: "http://127.0.0.1:9/owner" }];

  test("gives its resource to filters and variables, without a token", async () => {
    const call = answer(200, { data: { role: "admin", big: 5 } });
    const { id, event } = await newTrigger({
      filter: 'link(event, "owner").role == "admin"',
      vars: { role: 'link(event, "owner").role', twice: 'link(event, "owner").big * 2' },
    });
    await deliver([eventOf(event, { links })]);
    const [occurrence] = await untilFired(id);

    expect(await variablesOf(occurrence?.workflowInstanceID)).toEqual({
      role: "admin",
      twice: "10",
    });
    const [, init] = call.mock.calls[0] ?? [];
    expect(new Headers(init?.headers).has("authorization")).toBe(false);
    expect(call).toHaveBeenCalledTimes(1);
  });

  test("whose filter passes leaves no trace, and the payment may fire later", async () => {
    answer(200, { data: { role: "user" } });
    const { id } = await newTrigger({
      event: "SAVED_ACCOUNT",
      filter: 'link(event, "owner").role == "admin"',
    });
    const account = freshName("account");
    await deliver([eventOf("SAVED_ACCOUNT", { id: account, links })]);
    await eventually(async () => expect(await storedOf(id)).toEqual([]));
    answer(200, { data: { role: "admin" } });
    await deliver([eventOf("SAVED_ACCOUNT", { id: account, links })]);
    await untilFired(id);
    await deliver([eventOf("SAVED_ACCOUNT", { id: account, links })]);
    await eventually(async () => expect(await storedOf(id)).toHaveLength(1));

    expect(await occurrencesOf(id)).toHaveLength(1);
  });

  test("that fails is read again, and in the end the occurrence has failed", async () => {
    loseMessages();
    answer(404, { errorCode: "NOT_FOUND" });
    const { id, event } = await newTrigger({ vars: { a: 'link(event, "owner").role' } });
    await deliver([eventOf(event, { links })]);
    const [occurrence] = await storedOf(id);
    for (let hours = 0; hours < 11; hours++) {
      await fireOccurrences(later(hours * 3_600_000), [occurrence?.id ?? ""]);
    }
    expect(await storedOf(id)).toMatchObject([{ state: "fire", attempts: 11 }]);
    expect(await occurrencesOf(id)).toEqual([]);
    await fireOccurrences(later(12 * 3_600_000), [occurrence?.id ?? ""]);

    expect(await occurrencesOf(id)).toMatchObject([
      { error: "unexpected status code when reading resource: 404" },
    ]);
  });

  test.each([
    [200, [], "no JSON object with the member data"],
    [302, { data: {} }, "unexpected status code when reading resource: 302"],
    [500, { data: {} }, "unexpected status code when reading resource: 500"],
  ])("that answers %i with %j cannot be read", async (status, body, message) => {
    answer(status, body);
    const reading = readLink({ env }, "http://127.0.0.1:9/x", triggerContext);

    await expect(reading).rejects.toThrow(message);
  });

  test("to a host that is not public is refused", async () => {
    const call = answer(200, { data: {} });
    const strict = { ...env, FLORIN_ALLOW_PRIVATE_HOSTS: "false" };
    for (const uri of ["http://127.0.0.1/x", "http://10.0.0.1/", "ftp://example.com", "no url"]) {
      const reading = readLink({ env: strict }, uri, triggerContext);
      await expect(reading).rejects.toThrow(LinkError);
    }
    expect(call).not.toHaveBeenCalled();
  });

  test("to the own API is read inside, with the creator's scopes and ledgers", async () => {
    const call = answer(200, { data: {} });
    const ledger = freshName("ledger");
    await api(`/api/ledger/v2/${ledger}`, { body: { metadata: { owner: "me" } } });
    const uri = `${PUBLIC_URL}/api/ledger/v2/${ledger}`;
    const read = (scopes: readonly string[], ledgers: readonly string[] = []) => {
      const principal: Principal = {
        ...triggerContext.principal,
        scopes: new Set(scopes),
        ledgers,
      };
      return readLink({ env: publicEnv }, uri, { principal });
    };

    expect(await read(["ledger:read"])).toMatchObject({ name: ledger, metadata: { owner: "me" } });
    expect(await read(["ledger:write"], [ledger])).toMatchObject({ name: ledger });
    await expect(read(["payments:read"])).rejects.toThrow("status code when reading resource: 401");
    await expect(read(["ledger:read"], ["other"])).rejects.toThrow("bound to other ledgers");
    expect(call).not.toHaveBeenCalled();
  });
});
