import { expect } from "vitest";
import { dataOf, filtered, newLedger, pageOf, pay, RECONCILIATION, UNKNOWN } from "./books.ts";
import { api, type ApiInit, freshName } from "#test/support/platform/api.ts";

export const RULES = `${RECONCILIATION}/rules`;

export interface RuleBody {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly schedule?: Readonly<Record<string, unknown>>;
  readonly updatedAt: string;
}

export const QUERY = { $match: { address: "users:" } };

/** A rule that wants no user of a ledger to be in debt. */
export const thresholdOf = (ledger: string, fields: object = {}) => ({
  name: freshName("rule"),
  templateKind: "account_threshold",
  templateSpec: { ledger, query: QUERY, bounds: { "USD/2": { min: 0 } } },
  ...fields,
});

/** A rule that compares users of a ledger with a pool. */
export const driftOf = (ledger: string, pool = UNKNOWN, fields: object = {}) => ({
  name: freshName("rule"),
  templateKind: "ledger_vs_pool_drift",
  templateSpec: { ledger, ledgerQuery: QUERY, paymentsPoolID: pool },
  ...fields,
});

export const createRule = async (body: object, init: Pick<ApiInit, "token"> = {}) =>
  dataOf<RuleBody>(await api(RULES, { ...init, body }), 201);

export const scheduleOf = (id: string) => `/api/florin/v1/reconciliation/rules/${id}/schedule`;

export interface EvaluationBody {
  readonly id: string;
  readonly ruleID: string;
  readonly result: "PASS" | "FAIL" | "ERROR";
  readonly error?: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly pitPerSource?: Readonly<Record<string, string>>;
  readonly evidence: unknown;
  readonly costUnits: number;
  readonly run: Readonly<Record<string, unknown>>;
}

export const evaluate = (id: string, body?: object) =>
  api(`${RULES}/${id}/evaluate`, { method: "POST", ...(body === undefined ? {} : { body }) });

/** Evaluates a rule as of now, without a margin. */
export const evaluateNow = async (id: string): Promise<EvaluationBody> =>
  dataOf(await evaluate(id, { safetyMargin: "0s" }));

export interface AlertBody {
  readonly id: string;
  readonly fingerprint: string;
  readonly periodID: string;
  readonly status: string;
  readonly severity: string;
  readonly occurrenceCount: number;
  readonly lastSeenAt: string;
  readonly lastEvaluationID: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly ack?: object;
  readonly resolution?: Readonly<Record<string, unknown>>;
  readonly snooze?: object;
  readonly labels?: object;
}

export const ALERTS = `${RECONCILIATION}/alerts`;

export const alertsOf = async (ruleID: string): Promise<AlertBody[]> =>
  (
    await pageOf<AlertBody>(
      await api(`${filtered("/alerts", { $match: { ruleID } })}&pageSize=100`),
    )
  ).data;

/** The only alert of a rule. */
export async function alertOf(ruleID: string): Promise<AlertBody> {
  const [alert, ...others] = await alertsOf(ruleID);
  expect(others).toEqual([]);
  if (alert === undefined) throw new Error("the rule has no alert");
  return alert;
}

export interface AlertEventBody {
  readonly id: string;
  readonly type: string;
  readonly notify: boolean;
  readonly isReopen: boolean;
  readonly prevStatus?: string;
  readonly newStatus: string;
  readonly evaluationID?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** The history of an alert, the oldest event first. */
export const historyOf = async (alertId: string): Promise<AlertEventBody[]> =>
  (
    await pageOf<AlertEventBody>(await api(`${ALERTS}/${alertId}/events?pageSize=100`))
  ).data.toReversed();

export const act = (alertId: string, verb: string, body: unknown = { by: "ada" }) =>
  api(`${ALERTS}/${alertId}/${verb}`, { method: "POST", body });

/** A ledger whose user is in debt by an amount, and a rule that forbids it. */
export async function failingRule(fields: object = {}): Promise<{ ledger: string; id: string }> {
  const ledger = await newLedger();
  await pay(ledger, { from: "users:1", to: "world", amount: 5 });
  const { id } = await createRule(thresholdOf(ledger, fields));
  return { ledger, id };
}

/** Moves money so that the user of `failingRule` has an amount more. */
export const settle = (ledger: string, amount: number) => pay(ledger, { to: "users:1", amount });
