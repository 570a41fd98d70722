import { expect, test } from "vitest";
import { makeClient } from "#test/support/auth/clients.ts";
import { acting } from "#test/support/auth/takeover.ts";
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
} from "#test/support/reconciliation/books.ts";
import {
  alertOf,
  driftOf,
  evaluateNow,
  failingRule,
  RULES,
  thresholdOf,
} from "#test/support/reconciliation/rules.ts";

const client = async (scopes: string[], ledgers?: string) =>
  acting(
    await makeClient({
      id: freshName("c"),
      scopes: ["reconciliation:write", ...scopes],
      ...(ledgers === undefined ? {} : { metadata: { ledgers } }),
    }),
  );

test("evaluations and alerts of what a rule read before a change stay closed to those who might not read it", async () => {
  const { id, ledger: before } = await failingRule();
  const evaluation = await evaluateNow(id);
  const alert = await alertOf(id);
  const after = await newLedger();
  await pay(after, { to: "users:1", amount: 1 });
  const { templateSpec } = thresholdOf(after);
  await dataOf(await api(`${RULES}/${id}`, { method: "PATCH", body: { templateSpec } }));
  await evaluateNow(id);
  const [kept, open] = [
    await client(["ledger:read"], after),
    await client(["ledger:read"], `${before}, ${after}`),
  ];
  expect((await kept.call(`${RULES}/${id}`)).status).toBe(200);
  const paths = [
    `${RECONCILIATION}/evaluations/${evaluation.id}`,
    `${RECONCILIATION}/alerts/${alert.id}`,
    `${RECONCILIATION}/alerts/${alert.id}/events`,
  ];
  for (const path of paths) {
    expect(await failureOf(await kept.call(path))).toEqual([404, "NOT_FOUND"]);
    expect((await open.call(path)).status).toBe(200);
  }
  const ack = { method: "POST", body: { by: "eve" } };
  const acked = await kept.call(`${RECONCILIATION}/alerts/${alert.id}/ack`, ack);
  expect(await failureOf(acked)).toEqual([404, "NOT_FOUND"]);
  for (const list of ["/evaluations", "/alerts"]) {
    const path = filtered(list, { $match: { ruleID: id } });
    expect((await pageOf(await kept.call(path))).data).toEqual([]);
    expect((await pageOf(await open.call(path))).data).not.toEqual([]);
  }
  // A later change does not open them either.
  await dataOf(await api(`${RULES}/${id}`, { method: "PATCH", body: { templateSpec } }));
  expect((await kept.call(`${RECONCILIATION}/alerts/${alert.id}`)).status).toBe(404);
});

test("evaluations of a rule that read a pool before a change need the scope of payments", async () => {
  const { id, ledger } = await failingRule(driftOf("main", (await newPool({ "USD/2": 1n })).id));
  const evaluation = await evaluateNow(id);
  const { templateKind, templateSpec } = thresholdOf(ledger);
  const body = { templateKind, templateSpec };
  await dataOf(await api(`${RULES}/${id}`, { method: "PATCH", body }));
  const weak = await client(["ledger:read"]);
  expect((await weak.call(`${RULES}/${id}`)).status).toBe(200);
  const path = `${RECONCILIATION}/evaluations/${evaluation.id}`;
  expect((await weak.call(path)).status).toBe(401);
  const mine = filtered("/evaluations", { $match: { ruleID: id } });
  expect((await pageOf(await weak.call(mine))).data).toEqual([]);
  const strong = await client(["ledger:read", "payments:read"]);
  expect((await strong.call(path)).status).toBe(200);
});

test("a rule does not read more than a hundred ledgers in its life", async () => {
  const { id } = await failingRule();
  const specOf = (from: number) => ({
    terms: Array.from({ length: 20 }, (_, place) => ({
      ledger: `many-${from + place}`,
      query: { $match: { address: "users:" } },
      sign: 1,
    })),
    tolerance: { "USD/2": 0 },
  });
  const patch = (from: number) =>
    api(`${RULES}/${id}`, {
      method: "PATCH",
      body: { templateKind: "ledger_invariant", templateSpec: specOf(from) },
    });
  for (const from of [0, 20, 40, 60, 70]) await dataOf(await patch(from));
  expect(await failureOf(await patch(80))).toEqual([400, "VALIDATION"]);
  await dataOf(await patch(0));
});
