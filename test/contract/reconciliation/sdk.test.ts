import { describe, expect, test } from "vitest";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";
import { newLedger, newPool, pay, UNKNOWN } from "#test/support/reconciliation/books.ts";
import { scheduleOf } from "#test/support/reconciliation/rules.ts";

/** The client gets a token with the scope of reconciliation only, as it asks for by itself. */
const client = sdk({ bearer: await token("reconciliation:write") }).reconciliation.v1;

/** The operations that tests have called with success, and those whose typed error they have read. */
const called = { ok: new Set<string>(), error: new Set<string>() };

/** Calls an operation with success. */
async function succeed<T>(name: keyof typeof client, call: Promise<T>): Promise<T> {
  const answer = await call;
  called.ok.add(name);
  return answer;
}

/** The code of the typed error of an operation. */
async function fail(name: keyof typeof client, call: Promise<unknown>): Promise<string> {
  const code = await codeOf(call);
  called.error.add(name);
  return code;
}

const operations = Object.getOwnPropertyNames(Object.getPrototypeOf(client)).filter(
  (name) => name !== "constructor",
);

const QUERY = { $match: { address: "users:" } };
const PAST = new Date("2026-03-01T10:00:00Z");
const BAD_CURSOR = { cursor: "nonsense" };

async function books(): Promise<{ ledger: string; pool: string }> {
  const ledger = await newLedger();
  await pay(ledger, { to: "users:1", amount: 100, timestamp: "2026-03-01T09:00:00Z" });
  return { ledger, pool: (await newPool({ "USD/2": -90n })).id };
}

const ruleOf = (ledger: string, pool: string, fields: object = {}) => ({
  name: freshName("rule"),
  templateKind: "ledger_vs_pool_drift" as const,
  templateSpec: { ledger, ledgerQuery: QUERY, paymentsPoolID: pool },
  ...fields,
});

/** A rule with an alert that is open. */
async function failing(): Promise<{ ruleID: string; alertID: string; evaluationID: string }> {
  const { ledger, pool } = await books();
  const { ruleResponse } = await client.createRule(ruleOf(ledger, pool));
  const ruleID = ruleResponse?.data.id ?? "";
  const evaluateRuleRequest = { safetyMargin: "0s" };
  const { evaluationResponse } = await client.evaluateRule({ ruleID, evaluateRuleRequest });
  const query = { $match: { ruleID } };
  const { alertsCursorResponse } = await client.listAlerts({ query });
  const [alert] = alertsCursorResponse?.cursor.data ?? [];
  return { ruleID, alertID: alert?.id ?? "", evaluationID: evaluationResponse?.data.id ?? "" };
}

describe("policies, through the official client", () => {
  test("policies are created, read, listed, run and deleted", async () => {
    const { ledger, pool } = await books();
    const request = { name: "p", ledgerName: ledger, ledgerQuery: QUERY, paymentsPoolID: pool };
    const made = await succeed("createPolicy", client.createPolicy(request));
    const policy = made.policyResponse?.data;
    expect(policy).toMatchObject(request);
    const policyID = policy?.id ?? "";
    const read = await succeed("getPolicy", client.getPolicy({ policyID }));
    expect(read.policyResponse?.data).toEqual(policy);
    const query = { $match: { ledgerName: ledger } };
    const list = await succeed("listPolicies", client.listPolicies({ query, pageSize: 5 }));
    expect(list.policiesCursorResponse?.cursor).toMatchObject({ data: [policy], pageSize: 5 });
    const reconciliationRequest = { reconciledAtLedger: PAST, reconciledAtPayments: PAST };
    const run = await succeed("reconcile", client.reconcile({ policyID, reconciliationRequest }));
    const reconciliation = run.reconciliationResponse?.data;
    expect(reconciliation).toMatchObject({
      status: "NOT_OK",
      ledgerBalances: { "USD/2": 100n },
      paymentsBalances: { "USD/2": -90n },
      driftBalances: { "USD/2": 10n },
      error: "balance drift for asset USD/2",
    });
    const reconciliationID = reconciliation?.id ?? "";
    const found = await succeed(
      "getReconciliation",
      client.getReconciliation({ reconciliationID }),
    );
    expect(found.reconciliationResponse?.data).toEqual(reconciliation);
    const runs = await succeed(
      "listReconciliations",
      client.listReconciliations({ query: { $match: { policyID } } }),
    );
    expect(runs.reconciliationsCursorResponse?.cursor.data).toEqual([reconciliation]);
    const gone = await succeed("deletePolicy", client.deletePolicy({ policyID }));
    expect(gone.statusCode).toBe(204);
    expect(await fail("getPolicy", client.getPolicy({ policyID }))).toBe("NOT_FOUND");
    expect(await fail("reconcile", client.reconcile({ policyID, reconciliationRequest }))).toBe(
      "NOT_FOUND",
    );
    expect(await fail("getReconciliation", client.getReconciliation({ reconciliationID }))).toBe(
      "NOT_FOUND",
    );
    expect(
      await fail("createPolicy", client.createPolicy({ ...request, paymentsPoolID: "x" })),
    ).toBe("INVALID_ID");
    expect(await fail("deletePolicy", client.deletePolicy({ policyID: "x" }))).toBe("INVALID_ID");
    expect(await fail("listPolicies", client.listPolicies(BAD_CURSOR))).toBe("VALIDATION");
    expect(await fail("listReconciliations", client.listReconciliations(BAD_CURSOR))).toBe(
      "VALIDATION",
    );
  });
});

describe("rules, through the official client", () => {
  test("rules are created, read, listed, changed, evaluated and deleted", async () => {
    const { ledger, pool } = await books();
    const request = ruleOf(ledger, pool, {
      cadence: "monthly",
      severity: "high",
      schedule: { kind: "cron", expr: "0 6 * * *", tz: "Europe/Paris" },
      notifications: ["OPENED_ALERT"],
      labels: { team: "treasury" },
    });
    const made = await succeed("createRule", client.createRule(request));
    const rule = made.ruleResponse?.data;
    expect(rule).toMatchObject(request);
    const ruleID = rule?.id ?? "";
    const read = await succeed("getRule", client.getRule({ ruleID }));
    expect(read.ruleResponse?.data).toEqual(rule);
    const rulePatchRequest = { severity: "low" as const, enabled: false };
    const patched = await succeed("patchRule", client.patchRule({ ruleID, rulePatchRequest }));
    expect(patched.ruleResponse?.data).toMatchObject({ ...request, ...rulePatchRequest });
    const busy = await client.evaluateRule({ ruleID });
    expect(busy.errorResponse).toMatchObject({ errorCode: "RULE_CHANGED" });
    await client.patchRule({ ruleID, rulePatchRequest: { enabled: true } });
    const evaluateRuleRequest = { at: PAST, safetyMargin: "0s" };
    const run = await succeed("evaluateRule", client.evaluateRule({ ruleID, evaluateRuleRequest }));
    const evaluation = run.evaluationResponse?.data;
    expect(evaluation).toMatchObject({
      result: "FAIL",
      ruleID,
      pitPerSource: { [`ledger:${ledger}#0`]: PAST, [`pool:${pool}#0`]: PAST },
      evidence: [{ fingerprint: "asset:USD/2", passed: false, evidence: { drift: "10" } }],
    });
    const evaluationID = evaluation?.id ?? "";
    const found = await succeed("getEvaluation", client.getEvaluation({ evaluationID }));
    expect(found.evaluationResponse?.data).toEqual(evaluation);
    const query = { $match: { ruleID } };
    const list = await succeed("listEvaluations", client.listEvaluations({ query }));
    expect(list.evaluationsCursorResponse?.cursor.data).toEqual([evaluation]);
    await succeed("deleteRule", client.deleteRule({ ruleID }));
    for (const [name, call] of [
      ["getRule", () => client.getRule({ ruleID })],
      ["deleteRule", () => client.deleteRule({ ruleID })],
      ["patchRule", () => client.patchRule({ ruleID, rulePatchRequest })],
      ["evaluateRule", () => client.evaluateRule({ ruleID })],
      ["getEvaluation", () => client.getEvaluation({ evaluationID })],
    ] as const) {
      expect(await fail(name, call())).toBe("NOT_FOUND");
    }
    expect(await fail("createRule", client.createRule({ ...request, name: "" }))).toBe(
      "VALIDATION",
    );
    expect(await fail("listEvaluations", client.listEvaluations(BAD_CURSOR))).toBe("VALIDATION");
  });

  test("rules are listed, one of each kind of schedule, whose kinds are a closed set for the client", async () => {
    const name = freshName("scheduled");
    const schedules = [undefined, { kind: "on_demand" }, { kind: "cron", expr: "@hourly" }];
    const { ledger, pool } = await books();
    for (const schedule of schedules)
      await client.createRule(ruleOf(ledger, pool, { name, schedule }));
    const onEvents = await client.createRule(ruleOf(ledger, pool, { name }));
    const body = { kind: "events", types: ["ledger.committed_transactions"], debounce: "24h" };
    const set = await api(scheduleOf(onEvents.ruleResponse?.data.id ?? ""), {
      method: "PUT",
      body,
    });
    expect(set.status).toBe(200);
    const list = await succeed("listRules", client.listRules({ query: { $match: { name } } }));
    const kinds = list.rulesCursorResponse?.cursor.data.map(({ schedule }) => schedule?.kind);
    expect(kinds).toEqual(["on_demand", "cron", "on_demand", undefined]);
    expect(await fail("listRules", client.listRules(BAD_CURSOR))).toBe("VALIDATION");
  });
});

describe("alerts, through the official client", () => {
  test("alerts are read, acknowledged, snoozed, resolved and accepted, with their history", async () => {
    const { alertID, ruleID, evaluationID } = await failing();
    const read = await succeed("getAlert", client.getAlert({ alertID }));
    expect(read.alertResponse?.data).toMatchObject({
      id: alertID,
      ruleID,
      lastEvaluationID: evaluationID,
      status: "OPEN",
      periodID: "continuous",
      evidence: { drift: "10" },
    });
    const by = "ada";
    const acked = await succeed("ackAlert", client.ackAlert({ alertID, ackAlertRequest: { by } }));
    expect(acked.alertResponse?.data).toMatchObject({ status: "ACKNOWLEDGED", ack: { by } });
    const until = new Date("2999-01-01T00:00:00Z");
    const snoozed = await succeed(
      "snoozeAlert",
      client.snoozeAlert({ alertID, snoozeAlertRequest: { by, until } }),
    );
    expect(snoozed.alertResponse?.data.snooze).toMatchObject({ by, until });
    const woken = await succeed(
      "unsnoozeAlert",
      client.unsnoozeAlert({ alertID, unsnoozeAlertRequest: { by } }),
    );
    expect(woken.alertResponse?.data.snooze).toBeUndefined();
    const resolveAlertRequest = { by, transactionRefs: ["fix-1"] };
    const resolved = await succeed(
      "resolveAlert",
      client.resolveAlert({ alertID, resolveAlertRequest }),
    );
    expect(resolved.alertResponse?.data).toMatchObject({
      status: "RESOLVED",
      resolution: { kind: "fixed_by_booking", transactionRefs: ["fix-1"] },
    });
    const other = await failing();
    const acceptAlertRequest = { by, note: "a fee" };
    const accepted = await succeed(
      "acceptAlert",
      client.acceptAlert({ alertID: other.alertID, acceptAlertRequest }),
    );
    expect(accepted.alertResponse?.data.resolution).toMatchObject({
      kind: "accepted_by_business",
      evidenceSnapshot: { drift: "10" },
    });
    const history = await succeed("listAlertEvents", client.listAlertEvents({ alertID }));
    const events = history.alertEventsCursorResponse?.cursor.data ?? [];
    expect(events.map(({ type }) => type)).toEqual([
      "resolve",
      "unsnooze",
      "snooze",
      "ack",
      "fail",
    ]);
    const list = await succeed("listAlerts", client.listAlerts({ query: { $match: { ruleID } } }));
    expect(list.alertsCursorResponse?.cursor.data).toEqual([resolved.alertResponse?.data]);
    const missing = { alertID: UNKNOWN };
    for (const [name, call] of [
      ["getAlert", () => client.getAlert(missing)],
      ["listAlertEvents", () => client.listAlertEvents(missing)],
      ["ackAlert", () => client.ackAlert({ ...missing, ackAlertRequest: { by } })],
      ["resolveAlert", () => client.resolveAlert({ alertID, resolveAlertRequest })],
      ["acceptAlert", () => client.acceptAlert({ alertID, acceptAlertRequest })],
      ["snoozeAlert", () => client.snoozeAlert({ alertID, snoozeAlertRequest: { by, until } })],
      ["unsnoozeAlert", () => client.unsnoozeAlert({ ...missing, unsnoozeAlertRequest: { by } })],
    ] as const) {
      expect(await fail(name, call())).toBe("NOT_FOUND");
    }
    expect(await fail("listAlerts", client.listAlerts(BAD_CURSOR))).toBe("VALIDATION");
  });

  test("the client reads the version", async () => {
    const info = await succeed("getServerInfoReconciliation", client.getServerInfoReconciliation());
    expect(info.serverInfo?.version).toMatch(/^v2\.4\./);
  });

  test("all operations of the client were called with success, and all that can fail with an error", () => {
    expect(operations).toHaveLength(24);
    expect([...called.ok].toSorted()).toEqual(operations.toSorted());
    // It takes no parameter and needs no token.
    const failing = operations.filter((name) => name !== "getServerInfoReconciliation");
    expect([...called.error].toSorted()).toEqual(failing.toSorted());
  });
});
