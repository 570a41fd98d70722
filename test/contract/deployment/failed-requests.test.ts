import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { deploymentModule } from "#modules/deployment/index.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import type { Omitted } from "#platform/failed-requests/quota.ts";
import { FailedRequestStore, type NewFailedRequest } from "#platform/failed-requests/store.ts";
import { scopesOf } from "#platform/modules/module.ts";
import { fromMillis } from "#platform/time.ts";
import { MODULES } from "#src/modules.ts";
import { clientWith, freshClient } from "#test/support/auth/clients.ts";
import { failedRequest } from "#test/support/deployment/failed-requests.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

const PATH = "/api/florin/v1/requests/failed";
const SCOPES = Object.keys(scopesOf(MODULES));
const NONE: Omitted = { more: new Map(), ofOthers: undefined };

interface Failed {
  readonly requestId: string;
  readonly operation: string;
  readonly status: number;
  readonly subject: string;
  readonly more?: number;
  readonly moreOfOthers?: number;
  readonly body?: unknown;
  readonly message?: string;
}
interface Cursor {
  readonly cursor: { data: readonly Failed[]; next: string; hasMore: boolean };
}

const idOf = (response: Response): string =>
  present(response.headers.get("x-request-id"), "every answer has an id");

async function listed(query: Readonly<Record<string, string>>, bearer?: string): Promise<Cursor> {
  const path = `${PATH}?${new URLSearchParams(query).toString()}`;
  const response = await api(path, bearer === undefined ? {} : { token: bearer });
  expect([path, response.status]).toEqual([path, 200]);
  return response.json<Cursor>();
}

const dataOf = async (query: Readonly<Record<string, string>>, bearer?: string) =>
  (await listed(query, bearer)).cursor.data;

/** The row of a request, once it is stored. */
const rowOf = (requestId: string): Promise<Failed> =>
  eventually(async () => {
    const response = await api(`${PATH}/${requestId}`);
    expect(response.status).toBe(200);
    return (await response.json<{ data: Failed }>()).data;
  });

const store = (rows: readonly NewFailedRequest[], omitted = NONE, kept = 100_000) =>
  FailedRequestStore.from(env).store(rows, omitted, kept);

/** Sends a request that fails, and waits for its row, after which all earlier failures are stored as well. */
async function flush(): Promise<void> {
  const { token: bearer } = await freshClient("ledger:read");
  await rowOf(idOf(await api("/api/ledger/v2/none", { token: bearer })));
}

describe("a failed request", () => {
  test("a failed request is listed with who sent it, what it was and what it was answered", async () => {
    const ledger = freshName();
    const { id: clientId, token: bearer } = await freshClient("ledger:write");
    const path = `/api/ledger/v2/${ledger}/transactions`;
    const posting = { source: "users:1", destination: "world", amount: 2n ** 70n, asset: "EUR/2" };
    const body = { postings: [posting], reference: "r-1", metadata: { pin: "4711" } };
    await api(`/api/ledger/v2/${ledger}`, { method: "POST", token: bearer });
    const response = await api(`${path}?dryRun=false`, { body, token: bearer });
    expect(response.status).toBe(400);
    const requestId = idOf(response);
    const row = await rowOf(requestId);
    expect(row).toEqual({
      requestId,
      date: expect.stringMatching(/^20\d\d-/) as unknown,
      method: "POST",
      path,
      route: "/api/ledger/v2/{ledger}/transactions",
      operation: "v2CreateTransaction",
      status: 400,
      code: "INSUFFICIENT_FUND",
      message: expect.stringContaining("users:1") as unknown,
      issuer: expect.stringContaining("/api/auth") as unknown,
      subject: clientId,
      clientId,
      durationMs: expect.any(Number) as unknown,
      body: { postings: [{ ...posting, amount: Number(posting.amount) }], reference: "r-1" },
    });
    const text = await (await api(`${PATH}/${requestId}`)).text();
    expect(text).toContain(`"amount":${posting.amount}`);
  });

  test("a failed request of a bulk is listed with the first failure", async () => {
    const { token: bearer } = await freshClient("ledger:write");
    const ledger = freshName();
    await api(`/api/ledger/v2/${ledger}`, { method: "POST", token: bearer });
    const postings = [{ source: "users:1", destination: "world", amount: 5, asset: "EUR/2" }];
    const body = [{ action: "CREATE_TRANSACTION", data: { postings } }];
    const path = `/api/ledger/v2/${ledger}/_bulk`;
    const stream = "application/vnd.formance.ledger.api.v2.bulk+json-stream";
    const responses = [
      await api(path, { body, token: bearer }),
      await api(path, {
        body: JSON.stringify(body[0]),
        headers: { "content-type": stream },
        token: bearer,
      }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(400);
      await response.text();
      expect(await rowOf(idOf(response))).toMatchObject({ code: "INSUFFICIENT_FUND" });
    }
    expect(await rowOf(idOf(present(responses[0], "two were sent")))).toMatchObject({ body });
    // The texts of a stream are not kept, so that the message could contain some.
    expect(await rowOf(idOf(present(responses[1], "two were sent")))).not.toHaveProperty("message");
  });

  test("a failed request is listed if the token is valid and lacks the scope or the ledger", async () => {
    const { id, token: bearer } = await clientWith({
      scopes: ["ledger:read"],
      metadata: { ledgers: ["eu-*"] },
    });
    const lacking = [
      await api("/api/ledger/v2/eu-1", { method: "POST", token: bearer }),
      await api("/api/ledger/v2/us-1", { token: bearer }),
    ];
    for (const response of lacking) {
      expect(response.status).toBe(401);
      expect(await rowOf(idOf(response))).toMatchObject({ status: 401, subject: id });
    }
  });

  test("a failed request with no valid token is not listed, and neither is one that succeeds or is public", async () => {
    const { token: bearer } = await freshClient("ledger:read");
    const others = [
      await api("/api/ledger/v2/none", { token: null }),
      await api("/api/ledger/v2/none", { token: "x.y.z" }),
      await api("/api/none", { token: bearer }),
      await api("/api/auth/oauth/token", { body: "grant_type=x", token: bearer }),
      await api("/api/ledger/v2", { token: bearer }),
    ];
    await flush();
    for (const response of others) {
      expect((await api(`${PATH}/${idOf(response)}`)).status).toBe(404);
    }
  });

  test("a failed request beyond the rate of its client has no row, and is counted", async () => {
    const { id, token: bearer } = await freshClient("ledger:read");
    const COUNT = 300;
    for (let sent = 0; sent < COUNT; sent++) await api("/api/ledger/v2/none", { token: bearer });
    await eventually(async () => {
      const rows = await dataOf({ clientId: id, pageSize: "1000" });
      expect(rows.length).toBeLessThan(60);
      expect(rows.reduce((sum, { more = 0 }) => sum + 1 + more, 0)).toBe(COUNT);
    });
  });
});

describe("the list of failed requests", () => {
  test("the list of failed requests is filtered by each fact", async () => {
    const name = freshName();
    const day = (number: number) => fromMillis(Date.UTC(2031, 0, number));
    const rows = [
      failedRequest({ clientId: name, date: day(1), status: 404, code: "NOT_FOUND" }),
      failedRequest({ clientId: name, date: day(2), status: 500, code: "INTERNAL" }),
      failedRequest({ clientId: name, date: day(3), subject: "ann", method: "PUT" }),
      failedRequest({ clientId: name, date: day(4), route: "/x/{y}", operation: "doX" }),
    ];
    await store(rows);
    const found = async (query: Readonly<Record<string, string>>) => {
      const data = await dataOf({ clientId: name, ...query });
      return data.map(({ requestId }) => rows.findIndex((row) => row.requestId === requestId));
    };
    expect(await found({})).toEqual([3, 2, 1, 0]);
    expect(await found({ sort: "date:asc" })).toEqual([0, 1, 2, 3]);
    expect(await found({ status: "404" })).toEqual([0]);
    expect(await found({ status: "4xx" })).toEqual([3, 2, 0]);
    expect(await found({ status: "5xx" })).toEqual([1]);
    expect(await found({ code: "INTERNAL" })).toEqual([1]);
    expect(await found({ method: "PUT" })).toEqual([2]);
    expect(await found({ subject: "ann" })).toEqual([2]);
    expect(await found({ route: "/x/{y}" })).toEqual([3]);
    expect(await found({ operation: "doX" })).toEqual([3]);
    expect(await found({ requestId: rows[1]?.requestId ?? "" })).toEqual([1]);
    const range = { startTime: "2031-01-02T00:00:00Z", endTime: "2031-01-04T00:00:00Z" };
    expect(await found(range)).toEqual([2, 1]);
    expect(await found({ code: "' OR 1=1 --" })).toEqual([]);
  });

  test("the list of failed requests comes in pages, each request once, also those of one moment", async () => {
    const name = freshName();
    await store(Array.from({ length: 7 }, () => failedRequest({ clientId: name })));
    const seen: string[] = [];
    let page = await listed({ clientId: name, pageSize: "3" });
    for (;;) {
      seen.push(...page.cursor.data.map(({ requestId }) => requestId));
      await store([failedRequest({ clientId: name })]);
      if (!page.cursor.hasMore) break;
      page = await listed({ cursor: page.cursor.next });
    }
    expect(seen.length).toBe(7);
    expect(new Set(seen).size).toBe(7);
  });

  test.each([["status=200"], ["status=4x"], ["status="], ["colour=red"], ["startTime=x"]])(
    "the list of failed requests refuses %s, unless the value is empty",
    async (query) => {
      const response = await api(`${PATH}?${query}`);
      expect(response.status).toBe(query.endsWith("=") ? 200 : 400);
    },
  );

  test("the list of failed requests needs its scope, which no other scope includes", async () => {
    const others = await token(...SCOPES.filter((scope) => scope !== "florin:operate"));
    expect((await api(PATH, { token: others })).status).toBe(401);
    expect((await api(PATH, { token: await token("florin:operate") })).status).toBe(200);
  });

  test("the list of failed requests shows a bound client its own requests, and no counts of others", async () => {
    const bound = await clientWith({ scopes: SCOPES, metadata: { ledgers: ["eu-*"] } });
    const own = await api("/api/ledger/v2/eu-none", { token: bound.token });
    const { token: other } = await freshClient("ledger:read");
    const foreign = await api("/api/ledger/v2/us-none", { token: other });
    for (const response of [own, foreign]) await rowOf(idOf(response));
    // A person by the same client is somebody else.
    const person = failedRequest({ clientId: bound.id, subject: "ann" });
    const ofOthers = { requestId: idOf(own), count: 9 };
    await store([person], { more: new Map([[idOf(own), 2]]), ofOthers });
    const data = await dataOf({}, bound.token);
    expect(data.map(({ requestId, subject }) => [requestId, subject])).toEqual([
      [idOf(own), bound.id],
    ]);
    expect(data[0]).toMatchObject({ more: 2 });
    expect(data[0]).not.toHaveProperty("moreOfOthers");
    expect(await rowOf(idOf(own))).toMatchObject({ more: 2, moreOfOthers: 9 });
    expect(await dataOf({ clientId: "billing" }, bound.token)).toEqual([]);
    for (const hidden of [idOf(foreign), person.requestId]) {
      expect((await api(`${PATH}/${hidden}`, { token: bound.token })).status).toBe(404);
    }
    expect((await api(`${PATH}/${idOf(own)}`, { token: bound.token })).status).toBe(200);
  });
});

describe("rows of failed requests", () => {
  const count = async () =>
    (await env.DB.prepare("SELECT count(*) AS rows FROM failed_requests").first<number>("rows")) ??
    0;

  test("rows of failed requests are stored once, though their batch comes twice", async () => {
    const row = failedRequest();
    await store([row]);
    await store([row, failedRequest()]);
    expect(await dataOf({ requestId: row.requestId })).toHaveLength(1);
  });

  test("rows of failed requests are bounded in number: the oldest make room", async () => {
    await store(Array.from({ length: 40 }, () => failedRequest()));
    for (let batch = 0; batch < 3; batch++) await store([failedRequest()], NONE, 10);
    expect(await count()).toBeLessThanOrEqual(11);
  });

  test("rows of failed requests end after their retention, by the sweep", async () => {
    const now = failedRequest({ date: fromMillis(Date.now()) });
    const old = failedRequest({ date: fromMillis(Date.now() - 73 * 3_600_000) });
    await store([now, old]);
    const [sweep] = deploymentModule.sweeps ?? [];
    const nextMs = await sweep?.run(systemContext(env, "test"));
    expect(nextMs).toBeGreaterThan(Date.now());
    expect(await dataOf({ requestId: old.requestId })).toEqual([]);
    expect(await dataOf({ requestId: now.requestId })).toHaveLength(1);
  });
});
