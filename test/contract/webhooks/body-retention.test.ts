import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { WebhookService } from "#modules/webhooks/index.ts";
import { systemContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { api } from "#test/support/platform/api.ts";
import { EndpointBench, eventFor } from "#test/support/webhooks/deliveries.ts";

/** Lanes keep the bodies of modules' events for 30 days after a success, and for 90 days after a failure. */

const DAY_MS = 24 * 3_600_000;

const isKept = async (eventId: string): Promise<boolean> =>
  (await env.DB.prepare("SELECT 1 FROM webhook_payloads WHERE event_id = ?")
    .bind(eventId)
    .first()) !== null;

/** Runs the sweep as of `days` days from now. */
async function sweepAfter(days: number): Promise<void> {
  const clock = () => fromMillis(Date.now() + days * DAY_MS);
  await WebhookService.from({ ...systemContext(env, "test"), clock }).sweep();
}

/** Delivers an event to an endpoint that takes it and, if `isRefused`, to a second endpoint that refuses it. */
async function deliver(bench: EndpointBench, isRefused: boolean) {
  const good = await bench.subscribe();
  const bad = isRefused ? await bench.subscribe(good.eventTypes) : undefined;
  bench.respond = ({ url }) => new Response("", { status: url === bad?.endpoint ? 400 : 200 });
  const event = eventFor(good);
  await bench.publish(event);
  await bench.settled(good.id, "succeeded");
  const [failed] = bad === undefined ? [] : await bench.settled(bad.id, "failed");
  return { event, bad, failed };
}

const replay = (deliveryId = "") =>
  api(`/api/webhooks/deliveries/${deliveryId}/replay`, {
    method: "POST",
    headers: { "idempotency-key": crypto.randomUUID() },
  });

test("a body goes when the last delivery that may need it is over", async () => {
  const bench = new EndpointBench();
  const taken = await deliver(bench, false);
  const refused = await deliver(bench, true);
  await sweepAfter(29);
  expect([await isKept(taken.event.id), await isKept(refused.event.id)]).toEqual([true, true]);
  await sweepAfter(31);
  expect([await isKept(taken.event.id), await isKept(refused.event.id)]).toEqual([false, true]);
  // The replayed delivery has its original body.
  bench.respond = () => new Response("ok");
  expect((await replay(refused.failed?.id)).status).toBe(200);
  await bench.settled(refused.bad?.id ?? "", "succeeded");
  const bodies = new Set(bench.callsTo(refused.bad?.endpoint ?? "").map(({ body }) => body));
  expect([bodies.size, [...bodies][0]]).toEqual([1, expect.stringContaining('"ledger":"default"')]);
  await sweepAfter(92);
  expect(await isKept(refused.event.id)).toBe(false);
});

test("a config that is deleted needs no bodies any more", async () => {
  const bench = new EndpointBench();
  const { event, bad } = await deliver(bench, true);
  await bench.configs.deleteConfig(bad?.id ?? "");
  await sweepAfter(31);
  expect(await isKept(event.id)).toBe(false);
});

test("a delivery whose retention is over cannot be replayed, purged or not", async () => {
  const bench = new EndpointBench();
  const { bad, failed } = await deliver(bench, true);
  const age = (days: number) =>
    runInDurableObject(env.ENDPOINTS.getByName(bad?.id ?? ""), (_object, { storage }) => {
      storage.sql.exec("UPDATE delivery SET updated_ms = ?", Date.now() - days * DAY_MS);
    });
  await age(91);
  expect((await replay(failed?.id)).status).toBe(404);
  await age(89);
  expect((await replay(failed?.id)).status).toBe(200);
});
