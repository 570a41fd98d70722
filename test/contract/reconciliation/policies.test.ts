import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { sweepRetention } from "#modules/reconciliation/retention/sweep.ts";
import { systemContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import { acting } from "#test/support/auth/takeover.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import {
  dataOf,
  failureOf,
  filtered,
  newLedger,
  newPool,
  pageOf,
  pay,
  RECONCILIATION,
  UNKNOWN,
} from "#test/support/reconciliation/books.ts";

const POLICIES = `${RECONCILIATION}/policies`;
const QUERY = { $match: { address: "obligations:" } };

const policyBody = (fields: object = {}) => ({
  name: freshName("policy"),
  ledgerName: freshName("books"),
  ledgerQuery: QUERY,
  paymentsPoolID: UNKNOWN,
  ...fields,
});

const createPolicy = async (fields: object = {}): Promise<{ id: string }> =>
  dataOf(await api(POLICIES, { body: policyBody(fields) }), 201);

const run = (id: string, ledgerAt: string, paymentsAt = ledgerAt) =>
  api(`${POLICIES}/${id}/reconciliation`, {
    body: { reconciledAtLedger: ledgerAt, reconciledAtPayments: paymentsAt },
  });

describe("policies", () => {
  test("policies are created, read, listed with filters and deleted", async () => {
    const body = policyBody({ paymentsPoolID: `{${UNKNOWN.toUpperCase()}}` });
    const policy = await dataOf<{ id: string }>(await api(POLICIES, { body }), 201);
    expect(policy).toMatchObject({ ...body, paymentsPoolID: UNKNOWN });
    expect(await dataOf(await api(`${POLICIES}/urn:uuid:${policy.id}`))).toEqual(policy);
    for (const filter of [
      { $match: { id: policy.id } },
      { $and: [{ $match: { name: body.name } }, { $match: { paymentsPoolID: UNKNOWN } }] },
      {
        $and: [
          { $match: { ledgerName: body.ledgerName } },
          { $gt: { createdAt: "2026-01-01T00:00:00Z" } },
        ],
      },
      {
        $and: [{ $match: { name: body.name } }, { $match: { ledgerQuery: JSON.stringify(QUERY) } }],
      },
    ]) {
      expect((await pageOf(await api(filtered("/policies", filter)))).data).toEqual([policy]);
    }
    const other = { $and: [{ $match: { name: body.name } }, { $match: { ledgerQuery: "{}" } }] };
    expect((await pageOf(await api(filtered("/policies", other)))).data).toEqual([]);
    const gone = await api(`${POLICIES}/${policy.id}`, { method: "DELETE" });
    expect([gone.status, await gone.text()]).toEqual([204, ""]);
    expect(await failureOf(await api(`${POLICIES}/${policy.id}`))).toEqual([404, "NOT_FOUND"]);
    expect((await api(`${POLICIES}/${policy.id}`, { method: "DELETE" })).status).toBe(204);
  });

  test("policies are listed in pages, the newest first, with working cursors of filtered lists", async () => {
    const ledgerName = freshName("books");
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift((await createPolicy({ ledgerName })).id);
    const path = `${filtered("/policies", { $match: { ledgerName } })}&pageSize=2`;
    const first = await pageOf<{ id: string }>(await api(path));
    expect(first).toMatchObject({ hasMore: true, pageSize: 2 });
    const second = await pageOf<{ id: string }>(await api(`${POLICIES}?cursor=${first.next}`));
    expect(second.hasMore).toBe(false);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
  });

  test.each([
    ["no body", undefined, "MISSING_OR_INVALID_BODY"],
    ["no JSON", "{", "MISSING_OR_INVALID_BODY"],
    ["a name that is a number", policyBody({ name: 1 }), "MISSING_OR_INVALID_BODY"],
    ["a query that is a list", policyBody({ ledgerQuery: [] }), "MISSING_OR_INVALID_BODY"],
    ["no name", policyBody({ name: null }), "VALIDATION"],
    ["no ledger", policyBody({ ledgerName: "" }), "VALIDATION"],
    ["a query that is no filter", policyBody({ ledgerQuery: { a: 1 } }), "VALIDATION"],
    ["no pool", policyBody({ paymentsPoolID: undefined }), "INVALID_ID"],
    ["a pool that is no UUID", policyBody({ paymentsPoolID: "pool" }), "INVALID_ID"],
  ])("policies are refused with %s", async (_, body, code) => {
    const response = await api(POLICIES, { method: "POST", body });
    expect(await failureOf(response)).toEqual([400, code]);
  });

  test("a policy without a query has the empty one, which SDKs need to be an object", async () => {
    const body = policyBody({ ledgerQuery: null });
    expect(await dataOf(await api(POLICIES, { body }), 201)).toMatchObject({ ledgerQuery: {} });
  });

  test.each([
    ["pageSize=0", "VALIDATION"],
    ["pageSize=x", "VALIDATION"],
    ["cursor=nonsense", "VALIDATION"],
    ["query={", "VALIDATION"],
    [`query=${encodeURIComponent('{"$match":{"color":"red"}}')}`, "VALIDATION"],
  ])("lists of policies refuse %s", async (query, code) => {
    expect(await failureOf(await api(`${POLICIES}?${query}`))).toEqual([400, code]);
  });
});

describe("reconciliations", () => {
  test("reconciliations compare a ledger and a pool at two moments, by effective dates, with amounts beyond 2^53", async () => {
    const ledger = await newLedger();
    const large = 2n ** 70n;
    await pay(ledger, { to: "obligations:a", amount: 100, timestamp: "2026-03-01T09:00:00Z" });
    await pay(ledger, {
      to: "obligations:b",
      amount: large,
      asset: "EUR/2",
      timestamp: "2026-03-01T09:30:00Z",
    });
    await pay(ledger, { to: "obligations:b", amount: 7, timestamp: "2026-03-02T09:00:00Z" });
    await pay(ledger, { to: "elsewhere", amount: 1000, timestamp: "2026-03-01T09:00:00Z" });
    const pool = await newPool({ "USD/2": -100n, "EUR/2": -large - 1n });
    const { id } = await createPolicy({ ledgerName: ledger, paymentsPoolID: pool.id });
    const found = await dataOf<{ id: string }>(await run(id, "2026-03-01T12:00:00+02:00"));
    expect(found).toMatchObject({
      policyID: id,
      reconciledAtLedger: "2026-03-01T10:00:00Z",
      reconciledAtPayments: "2026-03-01T10:00:00Z",
      status: "NOT_OK",
      ledgerBalances: { "USD/2": 100, "EUR/2": large },
      paymentsBalances: { "USD/2": -100, "EUR/2": -large - 1n },
      driftBalances: { "USD/2": 0, "EUR/2": 1 },
      error: "balance drift for asset EUR/2",
    });
    expect(await dataOf(await api(`${RECONCILIATION}/reconciliations/${found.id}`))).toEqual(found);
    const later = await dataOf(await run(id, "2026-03-02T10:00:00Z", "2026-03-01T10:00:00Z"));
    expect(later).toMatchObject({ driftBalances: { "USD/2": 7, "EUR/2": 1 }, status: "NOT_OK" });
    const early = await dataOf(await run(id, "2026-02-01T10:00:00Z", "2026-03-01T10:00:00Z"));
    expect(early).toMatchObject({ ledgerBalances: {}, driftBalances: { "USD/2": 100 } });
    const path = (filter: object) => filtered("/reconciliations", filter);
    const all = await pageOf<{ id: string }>(await api(path({ $match: { policyID: id } })));
    expect(all.data).toEqual([early, later, found]);
    const bad = { $and: [{ $match: { policyID: id } }, { $match: { status: "NOT_OK" } }] };
    expect((await pageOf(await api(path(bad)))).data).toEqual([early, later, found]);
    expect((await api(`${POLICIES}/${id}`, { method: "DELETE" })).status).toBe(204);
    expect((await pageOf(await api(path({ $match: { policyID: id } })))).data).toEqual([]);
    const missing = await api(`${RECONCILIATION}/reconciliations/${found.id}`);
    expect(await failureOf(missing)).toEqual([404, "NOT_FOUND"]);
    await sweepRetention(systemContext(env, "test"));
    const rows = await env.DB.prepare(
      "SELECT count(*) AS count FROM reconciliations WHERE policy_id = ?",
    )
      .bind(id)
      .first();
    expect(rows).toEqual({ count: 0 });
  });

  test("reconciliations are refused in the order of the reference: body, times, id, policy, sources", async () => {
    const past = "2026-03-01T10:00:00Z";
    const future = "2999-03-01T10:00:00Z";
    const at = (id: string, body: unknown) =>
      api(`${POLICIES}/${id}/reconciliation`, { method: "POST", body });
    const both = { reconciledAtLedger: past, reconciledAtPayments: past };
    expect(await failureOf(await at("x", undefined))).toEqual([400, "MISSING_OR_INVALID_BODY"]);
    for (const body of [
      { reconciledAtLedger: past },
      { reconciledAtPayments: past },
      { ...both, reconciledAtLedger: future },
      { ...both, reconciledAtPayments: future },
    ]) {
      expect(await failureOf(await at("x", body))).toEqual([400, "VALIDATION"]);
    }
    expect(await failureOf(await at("x", { ...both, reconciledAtLedger: "soon" }))).toEqual([
      400,
      "MISSING_OR_INVALID_BODY",
    ]);
    expect(await failureOf(await at("x", both))).toEqual([400, "INVALID_ID"]);
    expect(await failureOf(await at(UNKNOWN, both))).toEqual([404, "NOT_FOUND"]);
    const noLedger = await createPolicy();
    expect((await at(noLedger.id, both)).status).toBe(404);
    const noPool = await createPolicy({ ledgerName: await newLedger() });
    expect(await failureOf(await at(noPool.id, both))).toEqual([404, "NOT_FOUND"]);
    const { data } = await pageOf(
      await api(filtered("/reconciliations", { $match: { policyID: noPool.id } })),
    );
    expect(data).toEqual([]);
  });

  test("reconciliations are deleted when they are older than the retention", async () => {
    const pool = await newPool({ "USD/2": 0n });
    const { id } = await createPolicy({ ledgerName: await newLedger(), paymentsPoolID: pool.id });
    const { id: found } = await dataOf<{ id: string }>(await run(id, "2026-03-01T10:00:00Z"));
    const yearLater = fromMillis(Date.now() + 8761 * 3_600_000);
    const next = await sweepRetention({ env, clock: () => yearLater });
    expect(next).toBeUndefined();
    const missing = await api(`${RECONCILIATION}/reconciliations/${found}`);
    expect(await failureOf(missing)).toEqual([404, "NOT_FOUND"]);
  });
});

describe("the authority over a policy", () => {
  const client = async (fields: object) =>
    acting(await makeClient({ id: freshName("auditor"), ...fields }));

  test("a client needs to read ledgers and payments, and may do so by scopes that its token lacks", async () => {
    const scopes = ["reconciliation:write", "ledger:read"];
    const [weak, able] = [
      await client({ scopes }),
      await client({ scopes: [...scopes, "payments:read"] }),
    ];
    expect((await weak.call(POLICIES, { body: policyBody() })).status).toBe(401);
    const made = await able.call(POLICIES, { body: policyBody() });
    const { id } = await dataOf<{ id: string }>(made, 201);
    expect((await weak.call(`${POLICIES}/${id}`)).status).toBe(401);
    expect((await weak.call(`${POLICIES}/${id}`, { method: "DELETE" })).status).toBe(401);
    const mine = filtered("/policies", { $match: { id } });
    expect((await pageOf(await weak.call(mine))).data).toEqual([]);
    expect((await pageOf(await able.call(mine))).data).toHaveLength(1);
    // The first client's token has only this scope, and may ask for all.
    const bearer = await token("reconciliation:read");
    expect((await api(`${POLICIES}/${id}`, { token: bearer })).status).toBe(200);
    const refused = await api(POLICIES, { body: policyBody(), token: bearer });
    expect(refused.status).toBe(401);
  });

  test("a client that is bound to ledgers sees, runs and deletes policies of these ledgers only", async () => {
    const ledger = await newLedger(freshName("eu"));
    const pool = await newPool({ "USD/2": 0n });
    const inside = await createPolicy({ ledgerName: ledger, paymentsPoolID: pool.id });
    const outside = await createPolicy();
    const { call } = await client({
      scopes: ["reconciliation:write", "ledger:read", "payments:read"],
      metadata: { ledgers: "eu-*" },
    });
    const both = { $or: [{ $match: { id: inside.id } }, { $match: { id: outside.id } }] };
    const seen = await pageOf<{ id: string }>(await call(filtered("/policies", both)));
    expect(seen.data.map(({ id }) => id)).toEqual([inside.id]);
    expect((await call(`${POLICIES}/${outside.id}`)).status).toBe(404);
    const at = {
      reconciledAtLedger: "2026-03-01T10:00:00Z",
      reconciledAtPayments: "2026-03-01T10:00:00Z",
    };
    const runBy = (id: string) => call(`${POLICIES}/${id}/reconciliation`, { body: at });
    expect((await runBy(outside.id)).status).toBe(404);
    const own = await dataOf<{ id: string }>(await runBy(inside.id));
    const foreign = await createPolicy({
      ledgerName: await newLedger(),
      paymentsPoolID: pool.id,
    });
    const other = await dataOf<{ id: string }>(await run(foreign.id, "2026-03-01T10:00:00Z"));
    const runs = `${RECONCILIATION}/reconciliations`;
    expect((await call(`${runs}/${own.id}`)).status).toBe(200);
    expect((await call(`${runs}/${other.id}`)).status).toBe(404);
    const ofBoth = { $or: [own, other].map(({ id }) => ({ $match: { id } })) };
    const shown = await pageOf<{ id: string }>(await call(filtered("/reconciliations", ofBoth)));
    expect(shown.data.map(({ id }) => id)).toEqual([own.id]);
    expect((await call(POLICIES, { body: policyBody() })).status).toBe(401);
    expect((await call(`${POLICIES}/${outside.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await api(`${POLICIES}/${outside.id}`)).status).toBe(200);
  });
});

test("the service shows its version and health to everyone", async () => {
  const info = await api(`${RECONCILIATION}/_info`, { token: null });
  expect(await bodyOf(info)).toEqual({ version: "v2.4.2", debug: false });
  const health = await api(`${RECONCILIATION}/_healthcheck`, { token: null });
  expect(await bodyOf(health)).toEqual({ default: "OK" });
});
