import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { freshLedger } from "#test/support/ledger/api.ts";
import { deliver, eventOf, newTrigger, untilFired } from "#test/support/orchestration/triggers.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { EndpointBench } from "#test/support/webhooks/deliveries.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const SPAN_OF_TRACE = new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`);

const AMOUNT = { amount: 1, asset: "USD" };
const payment = {
  postings: [{ source: "world", destination: "bank", amount: 1, asset: "USD" }],
};

/** Commits a transaction in a ledger; returns the answer. */
const commit = (ledger: string, headers: Record<string, string>) =>
  api(`/api/ledger/v2/${ledger}/transactions`, { body: payment, headers });

/** Waits until the endpoint of a test was called `count` times; returns the headers of the calls. */
const callsOf = (bench: EndpointBench, endpoint: string, count: number): Promise<Headers[]> =>
  eventually(async () => {
    const calls = bench.callsTo(endpoint).map(({ headers }) => headers);
    if (calls.length < count) throw new Error(`${calls.length} calls`);
    return calls;
  });

test("the trace of a request goes on in the webhook of its transaction, and in a later call of the same delivery", async () => {
  const bench = new EndpointBench();
  bench.respond = () => new Response(null, { status: 400 });
  const config = await bench.subscribe(["ledger.committed_transactions"]);
  const ledger = await freshLedger();
  const answer = await commit(ledger, { traceparent: PARENT, tracestate: "vendor=1" });
  expect(answer.status).toBe(200);
  const [delivery] = await bench.settled(config.id, "failed");
  const { id } = present(delivery, "the transaction has a delivery");
  await bench.deliveries.replay(id, freshName("key"));
  const calls = await callsOf(bench, config.endpoint, 2);
  const spans = calls.map((headers) => headers.get("traceparent"));
  for (const span of spans) expect(span).toMatch(SPAN_OF_TRACE);
  expect(new Set([PARENT, ...spans]).size).toBe(3);
  expect(calls.map((headers) => headers.get("tracestate"))).toEqual(["vendor=1", "vendor=1"]);
});

test("a request without a valid trace begins one, whose id is that of the request", async () => {
  const bench = new EndpointBench();
  const config = await bench.subscribe(["ledger.committed_transactions"]);
  const ledger = await freshLedger();
  const answer = await commit(ledger, { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01` });
  const requestId = present(answer.headers.get("x-request-id"), "each answer has an id");
  const [call] = await callsOf(bench, config.endpoint, 1);
  expect(call?.get("traceparent")).toMatch(
    new RegExp(`^00-${requestId.replaceAll("-", "")}-[0-9a-f]{16}-01$`),
  );
  expect(call?.has("tracestate")).toBe(false);
});

test("elements of a bulk have the trace of their request", async () => {
  const bench = new EndpointBench();
  const config = await bench.subscribe(["ledger.committed_transactions"]);
  const ledger = await freshLedger();
  const element = { action: "CREATE_TRANSACTION", data: payment };
  await api(`/api/ledger/v2/${ledger}/_bulk`, {
    body: [element, element, element],
    headers: { traceparent: PARENT },
  });
  const calls = await callsOf(bench, config.endpoint, 3);
  for (const headers of calls) expect(headers.get("traceparent")).toMatch(SPAN_OF_TRACE);
});

test("an event of the outbox has the trace of its request, which its payload does not show", async () => {
  const bench = new EndpointBench();
  const config = await bench.subscribe(["payments.saved_pool"]);
  const made = await api("/api/payments/v3/pools", {
    body: { name: freshName("pool"), accountIDs: [] },
    headers: { traceparent: PARENT },
  });
  expect(made.ok).toBe(true);
  const [call] = await callsOf(bench, config.endpoint, 1);
  expect(call?.get("traceparent")).toMatch(SPAN_OF_TRACE);
  expect(bench.callsTo(config.endpoint)[0]?.body).not.toContain(TRACE);
});

test("the request of a test of an endpoint has the trace of its caller", async () => {
  const bench = new EndpointBench();
  const config = await bench.subscribe();
  await api(`/api/webhooks/configs/${config.id}/test`, { headers: { traceparent: PARENT } });
  const [call] = await callsOf(bench, config.endpoint, 1);
  expect(call?.get("traceparent")).toMatch(SPAN_OF_TRACE);
});

test("what a workflow does has the trace of the request that has started it", async () => {
  const bench = new EndpointBench();
  const config = await bench.subscribe(["ledger.committed_transactions"]);
  const ledger = await freshLedger();
  const account = (id: string) => ({ account: { id, ledger } });
  const send = { source: account("world"), destination: account("shop") };
  const stages = [{ delay: { duration: "100ms" } }, { send: { ...send, amount: AMOUNT } }];
  const made = await api("/api/orchestration/v2/workflows", { body: { name: "traced", stages } });
  const { data } = await made.json<{ data: { id: string } }>();
  const started = await api(`/api/orchestration/v2/workflows/${data.id}/instances`, {
    body: {},
    headers: { traceparent: PARENT },
  });
  expect(started.ok).toBe(true);
  const [call] = await callsOf(bench, config.endpoint, 1);
  expect(call?.get("traceparent")).toMatch(SPAN_OF_TRACE);
});

test("what a trigger starts has the trace of the event's request", async () => {
  const { id, event } = await newTrigger();
  const cause = `${crypto.randomUUID()} ${PARENT}`;
  await deliver([{ ...eventOf(event, {}), cause }]);
  const [occurrence] = await untilFired(id);
  const row = await env.DB.prepare("SELECT cause FROM orchestration_instances WHERE id = ?")
    .bind(occurrence?.workflowInstanceID)
    .first();
  expect(row).toEqual({ cause });
});
