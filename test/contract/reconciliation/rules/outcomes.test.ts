import { expect, test } from "vitest";
import { makeClient } from "#test/support/auth/clients.ts";
import { acting } from "#test/support/auth/takeover.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { dataOf, failureOf, UNKNOWN } from "#test/support/reconciliation/books.ts";
import {
  evaluateNow,
  type EvaluationBody,
  failingRule,
  RULES,
  settle,
  thresholdOf,
} from "#test/support/reconciliation/rules.ts";

const passes = (count: number): string[] => Array.from({ length: count }, () => "PASS");

const outcomesOf = (id: string) => `/api/florin/v1/reconciliation/rules/${id}/outcomes`;

test("the outcomes of a rule are those of its last 20 runs, newest first and without evidence", async () => {
  const { id, ledger } = await failingRule();
  expect(await dataOf(await api(outcomesOf(id)))).toEqual([]);
  const failed = await evaluateNow(id);
  await settle(ledger, 10);
  const runs: EvaluationBody[] = [];
  for (let run = 0; run < 19; run++) runs.push(await evaluateNow(id));
  const shown = [failed, ...runs].toReversed().map((run) => ({
    id: run.id,
    result: run.result,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
  }));
  expect(await dataOf(await api(outcomesOf(id)))).toEqual(shown);
  expect(shown.map(({ result }) => result)).toEqual([...passes(19), "FAIL"]);
  await evaluateNow(id);
  const last = await dataOf<{ result: string }[]>(await api(outcomesOf(id)));
  expect(last.map(({ result }) => result)).toEqual(passes(20));
});

test("outcomes are not told to those who may not read the rule, or what it has read before", async () => {
  const { id } = await failingRule();
  await evaluateNow(id);
  expect(await failureOf(await api(outcomesOf(UNKNOWN)))).toEqual([404, "NOT_FOUND"]);
  const scopes = ["reconciliation:read", "ledger:read"];
  const kept = await acting(
    await makeClient({ id: freshName("c"), scopes, metadata: { ledgers: "other-*" } }),
  );
  expect((await kept.call(outcomesOf(id))).status).toBe(404);
  const ledger = `other-${freshName("ledger")}`;
  await dataOf(await api(`${RULES}/${id}`, { method: "PATCH", body: thresholdOf(ledger) }));
  expect(await dataOf(await kept.call(outcomesOf(id)))).toEqual([]);
});
