import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { quotaObject } from "#modules/auth/quotas/client-quotas.ts";
import { type Lease, type LeaseRequest } from "#modules/auth/quotas/quota-object.ts";
import { freshClient } from "#test/support/auth/clients.ts";
import {
  give,
  limited,
  passed,
  quotaOf,
  quotaPath,
  rate,
  READ,
  SCOPES,
  statusesOf,
  stoppedClock,
} from "#test/support/auth/quotas.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { evict } from "#test/support/platform/evict.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";
import { isolate } from "#test/support/runner/isolate.ts";

const pass = stoppedClock();

describe("the quota of a client", () => {
  test("the quota of a client is shown with what is left of it, and whoever changes it is in the audit", async () => {
    const { id } = await freshClient(...SCOPES);
    expect(await quotaOf(id)).toEqual({ clientId: id, source: "none" });
    const quota = { requests: { perSecond: 50 }, writes: rate(5, 20), streams: 3 };
    const given = await give(id, quota);
    expect(given.status).toBe(200);
    const shown = {
      clientId: id,
      source: "own",
      requests: { perSecond: 50, burst: 100, left: 100 },
      writes: { perSecond: 5, burst: 20, left: 20 },
      streams: { most: 3, open: 0 },
    };
    expect((await given.json<{ data: object }>()).data).toEqual(shown);
    expect(await quotaOf(id)).toEqual(shown);
    for (const status of [204, 204]) {
      expect((await api(quotaPath(id), { method: "DELETE" })).status).toBe(status);
    }
    expect(await quotaOf(id)).toEqual({ clientId: id, source: "none" });
    const audit = await api(`/api/florin/v1/audit?object=clients/${id}&pageSize=100`);
    const { cursor } = await audit.json<{
      cursor: { data: { action: string; object: string }[] };
    }>();
    const actions = cursor.data.filter(({ object }) => object === `clients/${id}`);
    expect(actions.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["auth.client.quota.update", "auth.client.quota.delete"]),
    );
    expect(actions.filter(({ action }) => action === "auth.client.quota.delete")).toHaveLength(1);
  });

  test("the quota of a client is changed by administrators only", async () => {
    const actor = await freshClient("auth:write", "ledger:read");
    const stronger = await freshClient("ledger:write");
    const change = (id: string) =>
      api(quotaPath(id), { method: "PUT", token: actor.token, body: { streams: 1 } });
    const messageOf = async (response: Response) =>
      (await response.json<{ errorMessage: string }>()).errorMessage;
    const weaker = await freshClient("ledger:read");
    // A weaker client would otherwise lift the quota of the one that has made it.
    for (const id of [stronger.id, actor.id, weaker.id, TEST_SETTINGS.FLORIN_CLIENT_ID]) {
      expect(await messageOf(await change(id))).toMatch(
        /only a client or a person who has all scopes/,
      );
    }
    expect((await change("nobody")).status).toBe(404);
    const reader = await freshClient("auth:read");
    const refused = await api(quotaPath(weaker.id), { method: "DELETE", token: reader.token });
    expect(refused.status).toBe(401);
  });

  test("the quota of a client is refused where a number is none, or the burst is smaller than the rate", async () => {
    const { id } = await freshClient(...SCOPES);
    for (const quota of [
      { requests: rate(10, 9) },
      { writes: { perSecond: 0 } },
      { elements: { perSecond: 1.5 } },
      { streams: 0 },
      { requests: { perSecond: 1_000_001 } },
      [],
    ]) {
      expect([quota, (await give(id, quota)).status]).toEqual([quota, 400]);
    }
    expect(await quotaOf(id)).toMatchObject({ source: "none" });
  });

  test("the quota of a client ends with the client", async () => {
    const { id } = await limited({ streams: 1 });
    expect((await api(`/api/auth/clients/${id}`, { method: "DELETE" })).status).toBe(204);
    expect((await api(quotaPath(id))).status).toBe(404);
    const { results } = await env.DB.prepare(
      "SELECT client_id FROM auth_client_quotas WHERE client_id = ?",
    )
      .bind(id)
      .all();
    expect(results).toEqual([]);
  });
});

describe("requests beyond a quota", () => {
  test("requests beyond a quota are answered with 429, Retry-After and the RateLimit fields, until time has passed", async () => {
    const { call } = await limited({ requests: rate(2, 4) });
    const server = isolate();
    const first = await call(server, READ);
    expect(first.status).toBe(200);
    expect(first.headers.get("ratelimit-policy")).toBe('"requests";q=4;w=2');
    expect(first.headers.get("ratelimit")).toBe('"requests";r=3;t=1');
    expect(await statusesOf(4, () => call(server, READ))).toEqual([200, 200, 200, 429]);
    const refused = await call(server, READ);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("ratelimit")).toBe('"requests";r=0;t=1');
    expect(refused.headers.get("access-control-expose-headers")).toContain("RateLimit");
    expect(await refused.json()).toEqual({
      errorCode: "VALIDATION",
      errorMessage:
        "[VALIDATION] the client has used up its quota of requests a second; try again in 1 s",
    });
    pass(1000);
    expect(await statusesOf(3, () => call(server, READ))).toEqual([200, 200, 429]);
    pass(60_000);
    expect(passed(await statusesOf(6, () => call(server, READ)))).toBe(4);
  });

  test("requests beyond a quota do not concern other clients, whose answers tell of no quota", async () => {
    const { call } = await limited({ requests: rate(1, 1) });
    const server = isolate();
    expect(await statusesOf(2, () => call(server, READ))).toEqual([200, 429]);
    const other = await server(READ, { headers: { authorization: `Bearer ${await token()}` } });
    expect(other.status).toBe(200);
    expect(other.headers.get("ratelimit-policy")).toBeNull();
  });

  test("requests beyond a quota are counted in sum over all isolates, and no more are let through at once", async () => {
    const { call } = await limited({ requests: rate(5, 20) });
    const servers = [isolate(), isolate(), isolate()];
    // Each isolate reads the list of quotas at its first request.
    const first = await Promise.all(servers.map((server) => call(server, READ)));
    const all = await Promise.all(
      servers.flatMap((server) =>
        Array.from({ length: 15 }, async () => (await call(server, READ)).status),
      ),
    );
    const atOnce = passed(first.map(({ status }) => status)) + passed(all);
    expect(atOnce).toBeLessThanOrEqual(20);
    // An isolate may still hold what a quarter of a second gives, and gives it back when its time has passed.
    expect(atOnce).toBeGreaterThanOrEqual(20 - servers.length * 2);
    for (const server of servers) await call(server, READ);
    pass(20_000);
    const later: number[] = [];
    for (const server of servers) {
      later.push(passed(await statusesOf(20, () => call(server, READ))));
    }
    expect(later.reduce((sum, count) => sum + count, 0)).toBe(20);
  });

  test("requests beyond a quota stay so when the object leaves memory, and when the clock is set back", async () => {
    const { id, call } = await limited({ requests: rate(1, 3) });
    expect(passed(await statusesOf(5, () => call(isolate(), READ)))).toBe(3);
    await evict(quotaObject(env, id));
    expect(passed(await statusesOf(2, () => call(isolate(), READ)))).toBe(0);
    pass(-1000);
    expect(passed(await statusesOf(2, () => call(isolate(), READ)))).toBe(0);
    pass(2000);
    expect(passed(await statusesOf(5, () => call(isolate(), READ)))).toBe(2);
  });

  test("requests beyond a quota of writes leave reads alone, and a refused write takes no request", async () => {
    const { call } = await limited({ requests: rate(3, 3), writes: rate(1, 1) });
    const server = isolate();
    const write = () => call(server, `${READ}/${freshName()}`, { method: "POST" });
    expect(await statusesOf(3, write)).toEqual([204, 429, 429]);
    expect(await statusesOf(3, () => call(server, READ))).toEqual([200, 200, 429]);
  });

  test("requests beyond a default quota are refused to clients that have none of their own", async () => {
    const client = await freshClient(...SCOPES);
    const server = isolate({ FLORIN_QUOTA_REQUESTS: "1/2" });
    const call = (path: string) =>
      server(path, { headers: { authorization: `Bearer ${client.token}` } });
    expect(passed(await statusesOf(4, () => call(READ)))).toBe(2);
    await give(client.id, {});
    const lifted = isolate({ FLORIN_QUOTA_REQUESTS: "1/2" });
    const free = () => lifted(READ, { headers: { authorization: `Bearer ${client.token}` } });
    expect(passed(await statusesOf(6, free))).toBe(6);
  });

  test("requests beyond a quota that is changed elsewhere are refused within 20 seconds", async () => {
    const client = await freshClient(...SCOPES);
    const server = isolate();
    const call = () => server(READ, { headers: { authorization: `Bearer ${client.token}` } });
    expect((await call()).status).toBe(200);
    await give(client.id, { requests: rate(1, 1) });
    expect(passed(await statusesOf(3, call))).toBe(3);
    pass(20_000);
    expect(passed(await statusesOf(3, call))).toBe(1);
  });

  test("requests beyond a quota are counted by the isolate alone while the object does not answer", async () => {
    const { call } = await limited({ requests: rate(2, 8) });
    const broken = new Proxy(env.CLIENT_QUOTAS, {
      get: () => () => ({ lease: () => Promise.reject(new CutOff()) }),
    });
    // The bindings of a test are of other types than those of the product's settings.
    const server = isolate({ CLIENT_QUOTAS: broken as unknown as string });
    expect(passed(await statusesOf(4, () => call(server, READ)))).toBe(2);
    pass(1000);
    expect(passed(await statusesOf(4, () => call(server, READ)))).toBe(2);
    pass(10_000);
    expect(passed(await statusesOf(12, () => call(server, READ)))).toBe(8);
  });

  test("requests beyond a quota cost next to nothing, and a flood of them keeps nobody else waiting", async () => {
    const { call, id } = await limited({ requests: rate(5, 10) });
    const object = quotaObject(env, id);
    const calls = vi.fn<(ask: LeaseRequest) => Promise<Lease>>((ask) => object.lease(ask));
    const counted = new Proxy(env.CLIENT_QUOTAS, { get: () => () => ({ lease: calls }) });
    // The bindings of a test are of other types than those of the product's settings.
    const server = isolate({ CLIENT_QUOTAS: counted as unknown as string });
    expect(passed(await statusesOf(11, () => call(server, READ)))).toBe(10);
    calls.mockClear();
    const flood = Promise.all(
      Array.from({ length: 400 }, async () => (await call(server, READ)).status),
    );
    const other = { headers: { authorization: `Bearer ${await token()}` } };
    expect(passed(await statusesOf(20, () => server(READ, other)))).toBe(20);
    expect(passed(await flood)).toBe(0);
    expect(calls).not.toHaveBeenCalled();
    pass(1000);
    expect(passed(await statusesOf(60, () => call(server, READ)))).toBe(5);
    expect(calls.mock.calls.length).toBeLessThanOrEqual(6);
    calls.mockClear();
    pass(600);
    // No isolate waits for the call of another request, but none asks for a token that the object cannot have.
    const atOnce = Array.from({ length: 200 }, async () => (await call(server, READ)).status);
    const served = passed(await Promise.all(atOnce));
    // One of the three tokens may have come ahead, for the next request.
    expect([2, 3]).toContain(served);
    expect(calls.mock.calls.length).toBeLessThanOrEqual(4);
  });

  test("requests beyond a quota are counted in the metrics", async () => {
    const { id, call } = await limited({ requests: rate(1, 1) });
    const server = isolate();
    expect(await statusesOf(4, () => call(server, READ))).toEqual([200, 429, 429, 429]);
    pass(3000);
    await statusesOf(1, () => call(server, READ));
    expect(await runDurableObjectAlarm(quotaObject(env, id))).toBe(true);
    const metrics = await (await api("/metrics")).text();
    expect(metrics).toContain(`florin_quota_refusals_total{client="${id}",kind="requests"} 3`);
  });
});

class CutOff extends Error {
  readonly retryable = true;
}
