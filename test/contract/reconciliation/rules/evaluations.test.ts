import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { lockRule } from "#modules/reconciliation/rules/lock.ts";
import { systemContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import { acting } from "#test/support/auth/takeover.ts";
import { keepEvents, keptEvents } from "#test/support/payments/kept-events.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import {
  dataOf,
  failureOf,
  filtered,
  newLedger,
  newPool,
  pageOf,
  pay,
  RECONCILIATION,
  time,
  UNKNOWN,
} from "#test/support/reconciliation/books.ts";
import {
  alertOf,
  alertsOf,
  createRule,
  driftOf,
  evaluate,
  evaluateNow,
  type EvaluationBody,
  failingRule,
  historyOf,
  QUERY,
  RULES,
  settle,
  thresholdOf,
} from "#test/support/reconciliation/rules.ts";

const context = systemContext(env, "test");

beforeAll(keepEvents);
afterEach(() => {
  vi.restoreAllMocks();
});

const AT = "2026-03-01T12:00:00Z";

describe("evaluations", () => {
  test("evaluations read ledgers and pools as of exact moments, and keep the balances as texts", async () => {
    const ledger = await newLedger();
    const large = 2n ** 70n;
    await pay(ledger, { to: "users:1", amount: large, timestamp: "2026-03-01T11:59:30Z" });
    await pay(ledger, { to: "users:1", amount: 1, timestamp: "2026-03-01T11:59:30.000001Z" });
    const pool = await newPool({ "USD/2": -large });
    const { id } = await createRule(driftOf(ledger, pool.id));
    const keys = [`ledger:${ledger}#0`, `pool:${pool.id}#0`] as const;
    const passed = await dataOf<EvaluationBody>(await evaluate(id, { at: "2026-03-01T10:00:30Z" }));
    expect(passed).toMatchObject({ result: "FAIL", costUnits: 2, run: { kind: "demand" } });
    const atReport = await dataOf<EvaluationBody>(
      await evaluate(id, {
        at: AT,
        sourcePITs: { [keys[1]]: "2026-03-01T10:00:00Z" },
      }),
    );
    expect(atReport).toMatchObject({
      result: "PASS",
      pitPerSource: {
        [keys[0]]: "2026-03-01T11:59:30Z",
        [keys[1]]: "2026-03-01T10:00:00Z",
      },
      evidence: [
        {
          fingerprint: "asset:USD/2",
          passed: true,
          proof: { ledger: String(large), ledgerSign: "1", pool: String(-large), tolerance: "0" },
        },
      ],
    });
    const exact = await dataOf<EvaluationBody>(await evaluate(id, { at: AT, safetyMargin: "0s" }));
    expect(exact).toMatchObject({ pitPerSource: { [keys[0]]: AT, [keys[1]]: AT } });
    const now = await evaluateNow(id);
    expect(now).toMatchObject({
      result: "FAIL",
      evidence: [
        {
          evidence: {
            ledgerBalance: String(large + 1n),
            poolBalance: String(-large),
            drift: "1",
            signedDrift: "1",
            tolerance: 0,
          },
        },
      ],
    });
    expect(await dataOf(await api(`${RECONCILIATION}/evaluations/${now.id}`))).toEqual(now);
  });

  test("evaluations are listed with filters, the newest first", async () => {
    const { id, ledger } = await failingRule();
    const failed = await evaluateNow(id);
    await settle(ledger, 5);
    const passed = await evaluateNow(id);
    const list = async (...filters: object[]) => {
      const path = filtered("/evaluations", { $and: [{ $match: { ruleID: id } }, ...filters] });
      return (await pageOf(await api(path))).data;
    };
    expect(await list()).toEqual([passed, failed]);
    expect(await list({ $match: { result: "FAIL" } })).toEqual([failed]);
    expect(await list({ $gt: { startedAt: failed.endedAt } })).toEqual([passed]);
    expect(await failureOf(await api(filtered("/evaluations", { $match: { x: "y" } })))).toEqual([
      400,
      "VALIDATION",
    ]);
    expect(await failureOf(await api(`${RECONCILIATION}/evaluations/${UNKNOWN}`))).toEqual([
      404,
      "NOT_FOUND",
    ]);
  });

  test.each([
    ["a moment in the future", { at: "2999-01-01T00:00:00Z" }, "VALIDATION"],
    ["a negative margin", { safetyMargin: "-1s" }, "VALIDATION"],
    ["moments of sources alone", { sourcePITs: { a: AT } }, "VALIDATION"],
    ["a moment of an unknown source", { at: AT, sourcePITs: { "ledger:x#0": AT } }, "VALIDATION"],
    [
      "a moment of a source in the future",
      { at: AT, sourcePITs: { a: "2999-01-01T00:00:00Z" } },
      "VALIDATION",
    ],
    ["a moment that is none", { at: "now" }, "MISSING_OR_INVALID_BODY"],
    ["a margin that is a number", { safetyMargin: 1 }, "MISSING_OR_INVALID_BODY"],
  ])("evaluations are refused with %s, and leave the rule free", async (_, body, code) => {
    const { id } = await createRule(thresholdOf(await newLedger()));
    expect(await failureOf(await evaluate(id, body))).toEqual([400, code]);
    expect((await evaluate(id)).status).toBe(200);
  });

  test("evaluations of sources that are not there end with an error and an alert about it", async () => {
    const ledger = freshName("none");
    const { id } = await createRule(thresholdOf(ledger, { labels: { team: "a" } }));
    const found = await evaluateNow(id);
    expect(found).toMatchObject({
      result: "ERROR",
      error: expect.stringContaining(ledger) as unknown,
      evidence: { error: found.error },
    });
    const alert = await alertOf(id);
    expect(alert).toMatchObject({
      fingerprint: "engine.error",
      severity: "high",
      periodID: "continuous",
      labels: { team: "a", kind: "engine.error" },
      evidence: { error: found.error, evaluationId: found.id },
    });
    await evaluateNow(id);
    expect((await historyOf(alert.id)).map(({ notify }) => notify)).toEqual([true]);
    await newLedger(ledger);
    expect(await evaluateNow(id)).toMatchObject({ result: "PASS" });
    expect(await alertOf(id)).toMatchObject({ status: "RESOLVED", occurrenceCount: 2 });
  });

  test("evaluations that end with an error leave the alerts of the checks alone", async () => {
    const pool = await newPool({ "USD/2": 1n });
    const { id } = await createRule(driftOf(await newLedger(), pool.id));
    await evaluateNow(id);
    expect((await api(`/api/payments/v3/pools/${pool.id}`, { method: "DELETE" })).status).toBe(204);
    expect(await evaluateNow(id)).toMatchObject({ result: "ERROR" });
    const alerts = await alertsOf(id);
    expect(alerts.map(({ fingerprint, status }) => [fingerprint, status])).toEqual([
      ["engine.error", "OPEN"],
      ["asset:USD/2", "OPEN"],
    ]);
  });

  test("evaluations of rules that are unknown or not enabled are refused", async () => {
    expect(await failureOf(await evaluate(UNKNOWN))).toEqual([404, "NOT_FOUND"]);
    expect(await failureOf(await evaluate("x"))).toEqual([400, "INVALID_ID"]);
    const { id } = await createRule(thresholdOf("main", { enabled: false }));
    expect(await failureOf(await evaluate(id))).toEqual([409, "RULE_CHANGED"]);
  });

  test("evaluations by account have an alert for each account, and none for those that are fine", async () => {
    const ledger = await newLedger();
    for (const user of [1, 2, 3]) {
      await pay(ledger, { to: `users:${user}`, amount: 10 });
      await pay(ledger, { from: `users:${user}`, to: "shop", amount: 9 + user });
    }
    await api(`/api/ledger/v2/${ledger}/accounts/users:4/metadata`, { body: { tier: "gold" } });
    const bounds = { "USD/2": { min: 0, max: 5 } };
    const templateSpec = { ledger, query: QUERY, mode: "per_account", bounds };
    const { id } = await createRule(thresholdOf(ledger, { templateSpec }));
    const found = await evaluateNow(id);
    expect(found).toMatchObject({ result: "FAIL" });
    const outcomes = found.evidence as { fingerprint: string; passed: boolean }[]; // outcomes have this shape
    expect(outcomes.map(({ fingerprint, passed }) => [fingerprint, passed])).toEqual([
      ["asset:USD/2|account:users:1", true],
      ["asset:USD/2|account:users:2", false],
      ["asset:USD/2|account:users:3", false],
      ["asset:USD/2|account:users:4", true],
    ]);
    const alerts = await alertsOf(id);
    expect(new Set(alerts.map(({ evidence }) => evidence["balance"]))).toEqual(
      new Set(["-1", "-2"]),
    );
  });

  test("evaluations by account keep some of the checks that pass and count the others, and refuse too many that fail", async () => {
    const ledger = await newLedger();
    for (let first = 0; first < 410; first += 205) {
      const postings = Array.from({ length: 205 }, (_, place) => ({
        source: "world",
        destination: `users:${first + place}`,
        amount: 1,
        asset: "USD/2",
      }));
      await api(`/api/ledger/v2/${ledger}/transactions`, { body: { postings } });
    }
    const specOf = (bounds: object) => ({
      templateSpec: { ledger, query: QUERY, mode: "per_account", bounds: { "USD/2": bounds } },
    });
    const { id } = await createRule(thresholdOf(ledger, specOf({ min: 0 })));
    const passed = await evaluateNow(id);
    const outcomes = passed.evidence as object[]; // outcomes are objects
    expect(outcomes).toHaveLength(101);
    expect(outcomes.at(-1)).toEqual({
      fingerprint: "others",
      passed: true,
      proof: { passed: "310" },
    });
    await api(`${RULES}/${id}`, { method: "PATCH", body: specOf({ max: 0 }) });
    expect(await evaluateNow(id)).toMatchObject({
      result: "ERROR",
      error: expect.stringContaining("410 checks fail") as unknown,
    });
    const few = {
      ledger,
      query: { $match: { address: "users:1" } },
      mode: "per_account",
      bounds: { "USD/2": { max: 0 } },
    };
    await api(`${RULES}/${id}`, { method: "PATCH", body: { templateSpec: few } });
    expect(await evaluateNow(id)).toMatchObject({ result: "FAIL" });
  });

  test("evaluations as of the beginning of time find empty books", async () => {
    const { id } = await failingRule();
    const found = await dataOf<EvaluationBody>(
      await evaluate(id, { at: "0001-01-01T00:00:00Z", safetyMargin: "744h" }),
    );
    expect(found).toMatchObject({ result: "PASS", evidence: [{ proof: { balance: "0" } }] });
    expect(Object.values(found.pitPerSource ?? {})).toEqual(["0001-01-01T00:00:00Z"]);
  });

  test("evaluations belong to the period of the moment that they read", async () => {
    const { id } = await failingRule({ cadence: "daily" });
    const earlier = { at: new Date().toISOString(), safetyMargin: "0s" };
    await dataOf(await evaluate(id, earlier));
    await dataOf(await evaluate(id, { at: "2026-03-05T00:00:10Z" }));
    const alerts = await alertsOf(id);
    expect(alerts.map(({ periodID }) => periodID)).toEqual([earlier.at.slice(0, 10)]);
  });
});

describe("two evaluations of a rule", () => {
  test("two evaluations of a rule do not run side by side", async () => {
    const { id } = await failingRule();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => evaluate(id, { safetyMargin: "0s" })),
    );
    const failures = await Promise.all(
      answers.map(async (answer) => (answer.status === 200 ? undefined : failureOf(answer))),
    );
    const refused = failures.filter((failure) => failure !== undefined);
    for (const failure of refused) expect(failure).toEqual([409, "RULE_BUSY"]);
    expect(await alertOf(id)).toMatchObject({ occurrenceCount: answers.length - refused.length });
  });

  test("two evaluations of a rule do not wait for ever for one that was killed", async () => {
    const { id } = await failingRule();
    await lockRule(context, id);
    expect(await failureOf(await evaluate(id))).toEqual([409, "RULE_BUSY"]);
    const expired = fromMillis(Date.now() - 1);
    await env.DB.prepare("UPDATE reconciliation_rules SET lock_until = ? WHERE id = ?")
      .bind(expired, id)
      .run();
    expect((await evaluate(id)).status).toBe(200);
    // A lock that was taken before the clock stepped back ends as well.
    await env.DB.prepare("UPDATE reconciliation_rules SET lock_until = ? WHERE id = ?")
      .bind(time("2999-01-01T00:00:00Z"), id)
      .run();
    expect((await evaluate(id)).status).toBe(200);
  });

  test.each([
    ["changed", { name: "other" }, "RULE_CHANGED"],
    ["disabled", { enabled: false }, "RULE_CHANGED"],
    ["deleted", undefined, "NOT_FOUND"],
  ])(
    "two evaluations of a rule are not stored of one that was %s meanwhile",
    async (_, change, code) => {
      const { id } = await failingRule();
      const batch = env.DB.batch.bind(env.DB);
      let isChanged = false;
      vi.spyOn(env.DB, "batch").mockImplementation(async (statements) => {
        // The alerts are read in a batch of two statements, right before the evaluation is stored.
        if (statements.length === 2 && !isChanged) {
          isChanged = true;
          const method = change === undefined ? "DELETE" : "PATCH";
          const response = await api(`${RULES}/${id}`, {
            method,
            ...(change === undefined ? {} : { body: change }),
          });
          expect(response.status).toBeLessThan(300);
        }
        return batch(statements);
      });
      const [status, found] = await failureOf(await evaluate(id));
      expect(isChanged).toBe(true);
      expect([status, found]).toEqual([code === "NOT_FOUND" ? 404 : 409, code]);
      vi.restoreAllMocks();
      const counts = await env.DB.prepare(
        "SELECT (SELECT count(*) FROM reconciliation_evaluations WHERE rule_id = ?1) + (SELECT count(*) FROM reconciliation_alerts WHERE rule_id = ?1) AS count",
      )
        .bind(id)
        .first();
      expect(counts).toEqual({ count: 0 });
    },
  );
});

describe("what is published of an evaluation", () => {
  test("the events of an evaluation are published once, and their rows say so", async () => {
    const { id } = await failingRule({ labels: { team: "a" } });
    const { id: evaluationID } = await evaluateNow(id);
    const alert = await alertOf(id);
    const [row] = await historyOf(alert.id);
    const events = await keptEvents("OPENED_ALERT", alert.id);
    expect(events).toEqual([
      expect.objectContaining({
        id: row?.id,
        app: "reconciliation",
        version: "v1",
        type: "OPENED_ALERT",
        idempotencyKey: row?.id,
        payload: {
          alert: expect.objectContaining({ id: alert.id, status: "OPEN", ruleID: id }) as unknown,
          event: expect.objectContaining({ evaluationID, type: "fail", notify: true }) as unknown,
        },
      }),
    ]);
  });

  test("only the types that notifications name are published", async () => {
    const { id, ledger } = await failingRule({ notifications: ["RESOLVED_ALERT"] });
    await evaluateNow(id);
    await settle(ledger, 10);
    await evaluateNow(id);
    const alert = await alertOf(id);
    expect((await historyOf(alert.id)).map(({ type, notify }) => [type, notify])).toEqual([
      ["fail", false],
      ["pass", true],
    ]);
    expect((await keptEvents(alert.id)).map(({ type }) => type)).toEqual(["RESOLVED_ALERT"]);
  });
});

test("evaluations and alerts are read and made only by those who may read what the rule reads", async () => {
  const { id } = await failingRule();
  const evaluation = await evaluateNow(id);
  const alert = await alertOf(id);
  const scopes = ["reconciliation:write", "ledger:read"];
  const [bound, weak] = [
    await acting(await makeClient({ id: freshName("c"), scopes, metadata: { ledgers: "eu-*" } })),
    await acting(await makeClient({ id: freshName("c"), scopes: ["reconciliation:write"] })),
  ];
  for (const [{ call }, status] of [
    [bound, 404],
    [weak, 401],
  ] as const) {
    for (const path of [
      `/evaluations/${evaluation.id}`,
      `/alerts/${alert.id}`,
      `/alerts/${alert.id}/events`,
    ]) {
      expect((await call(`${RECONCILIATION}${path}`)).status).toBe(status);
    }
    expect((await call(`${RULES}/${id}/evaluate`, { method: "POST" })).status).toBe(status);
    const ack = { method: "POST", body: { by: "eve" } };
    expect((await call(`${RECONCILIATION}/alerts/${alert.id}/ack`, ack)).status).toBe(status);
    for (const list of ["/evaluations", "/alerts"]) {
      const mine = filtered(list, { $match: { ruleID: id } });
      expect((await pageOf(await call(mine))).data).toEqual([]);
    }
  }
});
