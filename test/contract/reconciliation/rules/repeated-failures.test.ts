import { expect, test } from "vitest";
import { api } from "#test/support/platform/api.ts";
import { newLedger, pay } from "#test/support/reconciliation/books.ts";
import {
  alertsOf,
  createRule,
  evaluateNow,
  historyOf,
  QUERY,
  thresholdOf,
} from "#test/support/reconciliation/rules.ts";

test("evaluations whose failures are as before store a bounded evidence and no history", async () => {
  const ledger = await newLedger();
  const postings = Array.from({ length: 60 }, (_, place) => ({
    source: "world",
    destination: `users:${place}`,
    amount: 1,
    asset: "USD/2",
  }));
  await api(`/api/ledger/v2/${ledger}/transactions`, { body: { postings } });
  const bounds = { "USD/2": { max: 0 } };
  const templateSpec = { ledger, query: QUERY, mode: "per_account", bounds };
  const { id } = await createRule(thresholdOf(ledger, { templateSpec }));
  expect((await evaluateNow(id)).evidence).toHaveLength(60);
  const second = await evaluateNow(id);
  const outcomes = second.evidence as object[]; // outcomes are objects
  expect(second.result).toBe("FAIL");
  expect(outcomes).toHaveLength(21);
  expect(outcomes.at(-1)).toEqual({
    fingerprint: "unchanged",
    passed: false,
    evidence: { failed: "40" },
  });
  await pay(ledger, { to: "users:59", amount: 1 });
  const third = await evaluateNow(id);
  expect(third.evidence).toContainEqual(
    expect.objectContaining({ fingerprint: "asset:USD/2|account:users:59" }),
  );
  const alerts = await alertsOf(id);
  expect(alerts).toHaveLength(60);
  for (const alert of alerts) {
    expect(alert).toMatchObject({ occurrenceCount: 3, lastEvaluationID: third.id });
    const isChanged = alert.fingerprint.endsWith(":59");
    expect(await historyOf(alert.id)).toHaveLength(isChanged ? 2 : 1);
  }
});
