import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { quotaObject } from "#modules/auth/quotas/client-quotas.ts";
import { STREAM_MS_MAX } from "#modules/auth/quotas/quota-object.ts";
import { freshClient } from "#test/support/auth/clients.ts";
import { give, limited, quotaOf, rate, READ, stoppedClock } from "#test/support/auth/quotas.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { pageOf } from "#test/support/reconciliation/books.ts";
import {
  lineOf,
  newStatementSource,
  statementsPath,
} from "#test/support/reconciliation/uploads.ts";
import { isolate } from "#test/support/runner/isolate.ts";

const pass = stoppedClock();

describe("elements beyond a quota", () => {
  const bulkOf = (size: number) =>
    Array.from({ length: size }, (_, index) => ({
      action: "ADD_METADATA",
      data: { targetType: "ACCOUNT", targetId: "a", metadata: { n: `${index}` } },
    }));

  async function withLedger(quota: object) {
    const client = await limited(quota);
    const ledger = freshName();
    await api(`${READ}/${ledger}`, { method: "POST" });
    const server = isolate();
    const bulk = (size: number) =>
      client.call(server, `${READ}/${ledger}/_bulk`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(bulkOf(size)),
      });
    const countLogs = async () => {
      const logs = await api(`${READ}/${ledger}/logs?pageSize=100`);
      const { cursor } = await logs.json<{ cursor: { data: unknown[] } }>();
      return cursor.data.length;
    };
    return { ...client, ledger, server, bulk, countLogs };
  }

  test("elements beyond a quota are refused before any is executed, and the next bulk gets what is left", async () => {
    const { bulk, countLogs } = await withLedger({ elements: rate(2, 5) });
    const first = await bulk(3);
    expect(first.status).toBe(200);
    expect(first.headers.get("ratelimit-policy")).toBe('"elements";q=5;qu="elements";w=3');
    expect(first.headers.get("ratelimit")).toBe('"elements";r=2;t=2');
    const refused = await bulk(3);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await countLogs()).toBe(3);
    expect((await bulk(2)).status).toBe(200);
    expect(await countLogs()).toBe(5);
  });

  test("elements beyond the burst of a quota are let through when it is full, and are paid for afterwards", async () => {
    const { bulk } = await withLedger({ elements: rate(10, 10) });
    expect((await bulk(30)).status).toBe(200);
    const refused = await bulk(1);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("3");
    pass(2000);
    expect((await bulk(1)).status).toBe(429);
    pass(1100);
    expect((await bulk(1)).status).toBe(200);
  });

  test("elements of a batch of v1 count, too", async () => {
    const { call, ledger, server } = await withLedger({ elements: rate(1, 2) });
    const posting = { source: "world", destination: "a", asset: "USD", amount: 1 };
    const batch = () =>
      call(server, `/api/ledger/${ledger}/transactions/batch`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ transactions: [{ postings: [posting] }, { postings: [posting] }] }),
      });
    expect((await batch()).status).toBe(200);
    expect((await batch()).status).toBe(429);
  });

  test("elements of a stream beyond a quota wait instead of being refused", async () => {
    const { call, ledger, server, countLogs } = await withLedger({ elements: rate(50, 50) });
    vi.restoreAllMocks();
    const startMs = performance.now();
    const response = await call(server, `${READ}/${ledger}/_bulk`, {
      method: "POST",
      headers: { "content-type": "application/vnd.formance.ledger.api.v2.bulk+json-stream" },
      body: bulkOf(70)
        .map((element) => JSON.stringify(element))
        .join("\n"),
    });
    expect(response.status).toBe(200);
    expect(performance.now() - startMs).toBeGreaterThan(300);
    expect(await countLogs()).toBe(70);
  });

  test("elements of an imported log beyond a quota wait instead of being refused", async () => {
    const { call, ledger, server, bulk } = await withLedger({ elements: rate(60, 60) });
    expect((await bulk(90)).status).toBe(200);
    const log = await (await api(`${READ}/${ledger}/logs/export`, { method: "POST" })).text();
    const copy = freshName();
    await api(`${READ}/${copy}`, { method: "POST" });
    vi.restoreAllMocks();
    const startMs = performance.now();
    const imported = await call(server, `${READ}/${copy}/logs/import`, {
      method: "POST",
      body: log,
    });
    expect(imported.status).toBe(204);
    // At most 60 entries may come at once, and the other 30 take half a second.
    expect(performance.now() - startMs).toBeGreaterThan(400);
    const copied = await (await api(`${READ}/${copy}/logs/export`, { method: "POST" })).text();
    expect(copied.trim().split("\n")).toHaveLength(90);
  });
});

test("uploads of statements beyond a quota of writes are refused and not kept; their lines are no elements of bulks", async () => {
  const source = await newStatementSource();
  const client = await freshClient("reconciliation:write");
  expect((await give(client.id, { writes: rate(1, 1), elements: rate(1, 1) })).status).toBe(200);
  const server = isolate();
  const uploadBy = (...amounts: readonly number[]): Promise<Response> =>
    server(statementsPath(source), {
      method: "POST",
      headers: { authorization: `Bearer ${client.token}` },
      body: amounts.map((amount) => lineOf(amount)).join(""),
    });
  const read = await uploadBy(1, 2, 3);
  expect(read.status).toBe(201);
  expect(read.headers.get("ratelimit")).toBe('"writes";r=0;t=1');
  const refused = await uploadBy(4);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await pageOf(await api(statementsPath(source)))).data).toHaveLength(1);
});

describe("streams beyond a quota", () => {
  const STREAM = "/api/florin/v1/events/stream";

  test("streams beyond a quota are refused in all isolates, until one ends", async () => {
    const { id, call } = await limited({ streams: 1 });
    const [one, other] = [isolate(), isolate()];
    const first = await call(one, STREAM);
    expect(first.status).toBe(200);
    expect(first.headers.get("ratelimit-policy")).toBe('"streams";q=1;qu="concurrent-requests"');
    expect(await quotaOf(id)).toMatchObject({ streams: { most: 1, open: 1 } });
    const refused = await call(other, STREAM);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject({
      errorMessage: expect.stringContaining("has 1 streams open") as string,
    });
    await first.body?.cancel();
    await vi.waitFor(async () => {
      const open = await quotaOf(id);
      expect(open).toMatchObject({ streams: { open: 0 } });
    });
    const next = await call(other, STREAM);
    expect(next.status).toBe(200);
    await next.body?.cancel();
  });

  test("streams of an isolate that is lost free their places after three minutes", async () => {
    const { id, call } = await limited({ streams: 1 });
    const quota = { streams: 1 };
    const object = quotaObject(env, id);
    expect(await object.openStream("lost", { quota, label: id })).toBe(true);
    expect((await call(isolate(), STREAM)).status).toBe(429);
    pass(STREAM_MS_MAX - 1);
    await object.keepStream("lost");
    pass(STREAM_MS_MAX - 1);
    expect((await call(isolate(), STREAM)).status).toBe(429);
    pass(1);
    const next = await call(isolate(), STREAM);
    expect(next.status).toBe(200);
    await next.body?.cancel();
  });
});
