import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { fireOccurrences } from "#modules/orchestration/triggers/firing/fire.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { freshClient } from "#test/support/auth/clients.ts";
import {
  containing,
  deliver,
  eventOf,
  loseMessages,
  newTrigger,
  newWorkflow,
  occurrencesOf,
  storedOf,
  triggerContext,
  untilFired,
} from "#test/support/orchestration/triggers.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const DEPTH_MAX = Number(TEST_SETTINGS.FLORIN_TRIGGER_DEPTH);

interface Work {
  readonly stopped?: { readonly depth: number; readonly missed: number; readonly since: string };
}

async function workOf(id: string): Promise<Work> {
  const response = await api(`/api/florin/v1/triggers/${id}/work`);
  return ((await bodyOf(response)) as { data: Work }).data; // the schema of the answer has this shape
}

const untilStopped = (id: string) =>
  eventually(async () => {
    const { stopped } = await workOf(id);
    expect(stopped).toBeDefined();
    return stopped;
  });

async function newLedger(): Promise<string> {
  const ledger = freshName("loop");
  expect((await api(`/api/ledger/v2/${ledger}`, { method: "POST" })).status).toBe(204);
  return ledger;
}

const pay = (ledger: string, destination: string) =>
  api(`/api/ledger/v2/${ledger}/transactions`, {
    body: { postings: [{ source: "world", destination, amount: 1, asset: "EUR/2" }] },
  });

async function transactionsOf(ledger: string): Promise<number> {
  const response = await api(`/api/ledger/v2/${ledger}/transactions`, { method: "HEAD" });
  return Number(response.headers.get("count"));
}

/** A workflow that moves money in a ledger to an account. */
const paying = (ledger: string, destination: string) =>
  newWorkflow([
    {
      send: {
        source: { account: { id: "world", ledger } },
        destination: { account: { id: destination, ledger } },
        amount: { amount: 1, asset: "EUR/2" },
      },
    },
  ]);

/** A trigger that moves money to the account `to` when the account `from` receives some. */
async function paysOn(ledger: string, from: string, to: string) {
  return newTrigger({
    event: "COMMITTED_TRANSACTIONS",
    filter: `event.ledger == "${ledger}" && event.transactions[0].postings[0].destination == "${from}"`,
    workflowID: await paying(ledger, to),
  });
}

test("a trigger that starts itself is stopped at the depth, tells so, and goes on once it is resumed", async () => {
  const ledger = await newLedger();
  const { id } = await paysOn(ledger, "a", "a");
  await pay(ledger, "a");

  expect(await untilStopped(id)).toMatchObject({
    depth: DEPTH_MAX,
    missed: 1,
    reason: containing(`${DEPTH_MAX} triggers, one after the other`),
    toDo: containing("/resume"),
  });
  expect(await transactionsOf(ledger)).toBe(1 + DEPTH_MAX);
  const failed = (await occurrencesOf(id)).filter(({ error }) => error !== undefined);
  expect(failed).toMatchObject([
    { error: containing(`${DEPTH_MAX} triggers, one after the other, led to this event`) },
  ]);

  await pay(ledger, "a");
  await eventually(async () => expect(await workOf(id)).toMatchObject({ stopped: { missed: 2 } }));
  expect((await occurrencesOf(id)).map(({ error }) => error)).toContainEqual(
    containing("the trigger is stopped since 2"),
  );
  expect(await transactionsOf(ledger)).toBe(2 + DEPTH_MAX);

  const resume = () => api(`/api/florin/v1/triggers/${id}/resume`, { method: "POST" });
  const resumed = await resume();
  expect([resumed.status, ((await bodyOf(resumed)) as { data: Work }).data.stopped]).toEqual([
    200,
    undefined,
  ]);
  expect((await resume()).status).toBe(200);
  await pay(ledger, "a");
  await untilStopped(id);
  expect(await transactionsOf(ledger)).toBe(3 + 2 * DEPTH_MAX);
});

test("two triggers that start each other are stopped", async () => {
  const ledger = await newLedger();
  const ping = await paysOn(ledger, "a", "b");
  const pong = await paysOn(ledger, "b", "a");
  await pay(ledger, "a");

  expect(await untilStopped(ping.id)).toMatchObject({ depth: DEPTH_MAX });
  expect(await transactionsOf(ledger)).toBe(1 + DEPTH_MAX);
  expect(await workOf(pong.id)).not.toHaveProperty("stopped");
});

test("a chain of triggers that is shorter than the depth comes to its end", async () => {
  const ledger = await newLedger();
  const steps = DEPTH_MAX - 1;
  const triggers = await Promise.all(
    Array.from({ length: steps }, (_, n) => paysOn(ledger, `step:${n}`, `step:${n + 1}`)),
  );
  await pay(ledger, "step:0");
  await untilFired(triggers.at(-1)?.id ?? "");

  await eventually(async () => expect(await transactionsOf(ledger)).toBe(1 + steps));
  for (const { id } of triggers) {
    expect(await occurrencesOf(id)).toMatchObject([{ workflowInstanceID: containing("-") }]);
  }
});

test("the causation of an entry is in neither the log nor an export nor the event that clients get", async () => {
  const ledger = await newLedger();
  const { id } = await paysOn(ledger, "a", "b");
  await pay(ledger, "a");
  await untilFired(id);
  await eventually(async () => expect(await transactionsOf(ledger)).toBe(2));
  const exported = await api(`/api/ledger/v2/${ledger}/logs/export`, { method: "POST" });
  const logs = await api(`/api/ledger/v2/${ledger}/logs`);
  const texts = `${await exported.text()}${await logs.text()}${JSON.stringify(await occurrencesOf(id))}`;
  expect(texts).not.toMatch(/causation/i);
});

test("a trigger is stopped once, whoever fires the same occurrence again", async () => {
  loseMessages();
  const published = vi.spyOn(Outbox.prototype, "publish");
  const { id, event } = await newTrigger();
  const looping = [1, 2].map((n) => ({ ...eventOf(event, { n }), causationDepth: DEPTH_MAX }));
  await deliver([...looping, ...looping]);
  const ids = (await storedOf(id)).map((occurrence) => occurrence.id);
  expect(ids).toHaveLength(2);
  await Promise.all([1, 2, 3].map(() => fireOccurrences(triggerContext, ids)));
  await fireOccurrences(triggerContext, ids);
  await deliver(looping);

  expect(await workOf(id)).toMatchObject({ stopped: { depth: DEPTH_MAX, missed: 2 } });
  expect(await occurrencesOf(id)).toHaveLength(2);
  const stops = published.mock.calls
    .flatMap(([{ events }]) => events)
    .filter((told) => told.event.type === "STOPPED_TRIGGER");
  expect(new Set(stops.map((told) => told.event.id)).size).toBe(1);
  expect(stops[0]?.event.payload).toMatchObject({ triggerID: id, depth: DEPTH_MAX });
});

test("a trigger that acts for somebody who may do more is not resumed", async () => {
  const { id, event } = await newTrigger(
    {},
    await freshClient("orchestration:write", "payments:read"),
  );
  await deliver([{ ...eventOf(event, {}), causationDepth: DEPTH_MAX }]);
  await untilStopped(id);
  const weak = await freshClient("orchestration:write");
  const path = `/api/florin/v1/triggers/${id}/resume`;

  expect((await api(path, { method: "POST", ...weak })).status).toBe(401);
  expect(await workOf(id)).toHaveProperty("stopped");
  expect((await api("/api/florin/v1/triggers/none/resume", { method: "POST" })).status).toBe(404);
  expect((await api(path, { method: "POST" })).status).toBe(200);
  const { results } = await env.DB.prepare("SELECT action FROM audit WHERE object = ?")
    .bind(`triggers/${id}`)
    .all();
  expect(results.at(-1)).toEqual({ action: "orchestration.trigger.resume" });
});
