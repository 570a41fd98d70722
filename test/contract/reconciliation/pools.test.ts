import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { prepareBalances } from "#modules/payments/balances/ingestion.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import { requireConnector } from "#modules/payments/installs/store.ts";
import { sweepRules } from "#modules/reconciliation/scheduler/sweep.ts";
import { systemContext } from "#platform/context.ts";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { account } from "#test/support/payments/provider-objects.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import {
  dataOf,
  newLedger,
  newPool,
  pageOf,
  pay,
  filtered,
  RECONCILIATION,
  REPORTED_AT,
  time,
} from "#test/support/reconciliation/books.ts";
import {
  alertOf,
  createRule,
  driftOf,
  evaluate,
  evaluateNow,
  type EvaluationBody,
} from "#test/support/reconciliation/rules.ts";

const LATER = "2026-03-01T12:00:00Z";
const EARLIER = "2026-03-01T09:00:00Z";

/** A policy that compares users of a ledger with a pool, run at one moment. */
async function reconcileAt(ledger: string, pool: string, at: string): Promise<Response> {
  const policies = `${RECONCILIATION}/policies`;
  const ledgerQuery = { $match: { address: "users:" } };
  const body = { name: freshName("p"), ledgerName: ledger, ledgerQuery, paymentsPoolID: pool };
  const made = await api(policies, { body });
  const { id } = await dataOf<{ id: string }>(made, 201);
  const moments = { reconciledAtLedger: at, reconciledAtPayments: at };
  return api(`${policies}/${id}/reconciliation`, { body: moments });
}

describe("pools at a moment after their last report", () => {
  test("an evaluation at a moment reads the balance that was known last, and resolves no alert without it", async () => {
    const pool = await newPool({ "USD/2": 500n });
    const { id } = await createRule(driftOf(await newLedger(), pool.id));
    expect(await evaluateNow(id)).toMatchObject({ result: "FAIL" });
    const found = await dataOf(await evaluate(id, { at: LATER, safetyMargin: "0s" }));
    expect(found).toMatchObject({
      result: "FAIL",
      evidence: [{ evidence: { poolBalance: "500", drift: "500" } }],
    });
    expect(await alertOf(id)).toMatchObject({ status: "OPEN", occurrenceCount: 2 });
    // The balances of the pool itself are those that a report has confirmed at the moment or after it.
    const own = await api(`/api/payments/v3/pools/${pool.id}/balances?at=${LATER}`);
    expect(await bodyOf(own)).toEqual({ data: [] });
  });

  test("a balance that a later report has replaced counts until then", async () => {
    const pool = await newPool({ "USD/2": 500n });
    await pool.report("USD/2", 700n, time(LATER));
    const { id } = await createRule(driftOf(await newLedger(), pool.id));
    const at = async (moment: string) =>
      dataOf(await evaluate(id, { at: moment, safetyMargin: "0s" }));
    for (const [moment, poolBalance] of [
      ["2026-03-01T11:59:59Z", "500"],
      [LATER, "700"],
      ["2026-03-02T00:00:00Z", "700"],
    ] as const) {
      expect(await at(moment)).toMatchObject({ evidence: [{ evidence: { poolBalance } }] });
    }
  });

  test("a policy at a moment compares with the balance that was known last", async () => {
    const ledger = await newLedger();
    const pool = await newPool({ "USD/2": 500n });
    expect(await dataOf(await reconcileAt(ledger, pool.id, LATER))).toMatchObject({
      status: "NOT_OK",
      paymentsBalances: { "USD/2": 500 },
    });
  });

  test("a late run of a rule with periods reads the balance that was known last at its time", async () => {
    const ledger = await newLedger();
    await pay(ledger, { to: "users:1", amount: 500, timestamp: REPORTED_AT });
    const pool = await newPool({ "USD/2": -500n });
    const schedule = { kind: "cron", expr: "0 12 * * *" };
    const { id } = await createRule(driftOf(ledger, pool.id, { schedule, cadence: "daily" }));
    await env.DB.prepare("UPDATE reconciliation_rules SET next_at = ? WHERE id = ?")
      .bind(time(LATER), id)
      .run();
    const now = time("2026-03-01T14:00:00Z");
    await sweepRules({ ...systemContext(env, "test"), clock: () => now });
    const evaluations = await api(filtered("/evaluations", { $match: { ruleID: id } }));
    expect((await pageOf<EvaluationBody>(evaluations)).data).toMatchObject([
      { result: "PASS", run: { late: true } },
    ]);
  });
});

describe("pools at a moment before their first report", () => {
  test("an evaluation ends with an error that names the accounts, and leaves the alerts alone", async () => {
    const pool = await newPool({ "USD/2": 500n });
    const { id } = await createRule(driftOf(await newLedger(), pool.id));
    const found = await dataOf<EvaluationBody>(await evaluate(id, { at: EARLIER }));
    expect(found).toMatchObject({ result: "ERROR" });
    const [member] = await accountsOf(pool.id);
    expect(found.error).toContain(`was not known then: ${member}`);
    expect(await alertOf(id)).toMatchObject({ fingerprint: "engine.error" });
  });

  test("a policy is refused with an error that names the accounts, and stores nothing", async () => {
    const pool = await newPool({ "USD/2": 500n });
    const response = await reconcileAt(await newLedger(), pool.id, EARLIER);
    expect(response.status).toBe(400);
    const [member] = await accountsOf(pool.id);
    expect(await bodyOf(response)).toMatchObject({
      errorCode: "VALIDATION",
      errorMessage: expect.stringContaining(`was not known then: ${member}`) as unknown,
    });
  });

  test("a pool without accounts holds nothing at any moment", async () => {
    const made = await api("/api/payments/v3/pools", {
      body: { name: freshName("pool"), accountIDs: [] },
    });
    const { data: id } = (await bodyOf(made)) as { data: string }; // the schema of the answer has this shape
    const response = await reconcileAt(await newLedger(), id, EARLIER);
    expect(await dataOf(response)).toMatchObject({ status: "OK", paymentsBalances: {} });
  });
});

test("external accounts of a dynamic pool, which have no balances, refuse no moment", async () => {
  const context = systemContext(env, "test");
  const connector = await requireConnector(context, (await storeConnector()).id);
  const [own, foreign] = [freshName("own"), freshName("foreign")];
  for (const [type, reference] of [
    ["INTERNAL", own],
    ["EXTERNAL", foreign],
  ] as const) {
    const accounts = [account(reference, { name: "Main" })];
    await storePage(context, () => prepareAccounts(context, { connector, type, accounts }));
  }
  const createdAt = time(REPORTED_AT);
  const balances = [{ accountReference: own, asset: "USD/2", amount: 500n, createdAt }];
  await storePage(context, () => prepareBalances(context, { connector, balances }));
  const query = { $match: { connector_id: encodeConnectorId(connector.id) } };
  const made = await api("/api/payments/v3/pools", { body: { name: freshName("pool"), query } });
  const { data: id } = (await bodyOf(made)) as { data: string }; // the schema of the answer has this shape
  const response = await reconcileAt(await newLedger(), id, LATER);
  expect(await dataOf(response)).toMatchObject({ paymentsBalances: { "USD/2": 500 } });
});

/** The ids of the accounts of a pool. */
const accountsOf = async (id: string): Promise<readonly string[]> =>
  (await dataOf<{ poolAccounts: string[] }>(await api(`/api/payments/v3/pools/${id}`)))
    .poolAccounts;
