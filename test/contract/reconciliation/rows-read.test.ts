import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { listAlerts } from "#modules/reconciliation/alerts/list.ts";
import { listEvaluations } from "#modules/reconciliation/evaluations/list.ts";
import { listReconciliations } from "#modules/reconciliation/policies/reconciliations.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { countedBindings } from "#test/support/platform/counted-rows.ts";
import {
  dataOf,
  filtered,
  newLedger,
  newPool,
  pageOf,
  RECONCILIATION,
  REPORTED_AT,
} from "#test/support/reconciliation/books.ts";
import {
  alertOf,
  evaluateNow,
  type EvaluationBody,
  failingRule,
} from "#test/support/reconciliation/rules.ts";

const FILLED = 3000;
const PAGE_SIZE = 15;
/** Most rows that a page may read: its own, those of their index, the rules or policies, and the bound of the filter. */
const ROWS_MAX = 100;

const bindings = countedBindings();
const system = systemContext(bindings.env, "test");
const context: ServiceContext = {
  ...system,
  principal: { ...system.principal, scopes: new Set(["ledger:read", "payments:read"] as const) },
};

/** Adds copies of the rows of a table, whose status is another one, and which are older. */
async function fill(table: string, changed: Readonly<Record<string, string>>): Promise<void> {
  const { results } = await env.DB.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>();
  const names = results.map(({ name }) => name).filter((name) => name !== "key");
  const values = names.map((name) => changed[name] ?? name);
  await env.DB.prepare(
    `WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${FILLED})
     INSERT INTO ${table} (${names.join()})
     SELECT ${values.join()} FROM c, (SELECT * FROM ${table} ORDER BY key LIMIT 1)`,
  ).run();
}

const OLDER = "'2020-01-01T00:00:' || printf('%02d', n % 60) || '.000000Z'";

const queryOf = (column: string, filter: object | undefined): PageQuery => ({
  kind: "column",
  column,
  order: "desc",
  reverse: false,
  pageSize: PAGE_SIZE,
  ...(filter === undefined ? {} : { where: JSON.stringify(filter) }),
});

let ruleID = "";
let policyID = "";
beforeAll(async () => {
  const policyOf = async () =>
    dataOf<{ id: string }>(
      await api(`${RECONCILIATION}/policies`, {
        body: {
          name: freshName("policy"),
          ledgerName: await newLedger(),
          ledgerQuery: {},
          paymentsPoolID: (await newPool({ "USD/2": 1n })).id,
        },
      }),
      201,
    );
  const ruleWithAlert = async () => {
    const { id } = await failingRule();
    await evaluateNow(id);
    return id;
  };
  await ruleWithAlert();
  ruleID = await ruleWithAlert();
  for (const policy of [await policyOf(), await policyOf()]) {
    policyID = policy.id;
    await dataOf(
      await api(`${RECONCILIATION}/policies/${policyID}/reconciliation`, {
        body: { reconciledAtLedger: REPORTED_AT, reconciledAtPayments: REPORTED_AT },
      }),
    );
  }
  const id = "lower(hex(randomblob(16)))";
  const alert = { id, fingerprint: "'x' || n", status: "'RESOLVED'", last_seen_at: OLDER };
  await fill("reconciliation_alerts", alert);
  await fill("reconciliation_evaluations", { id, result: "'PASS'", created_at: OLDER });
  await fill("reconciliations", { id, created_at: OLDER });
});

describe("lists read few rows of large tables", () => {
  test.each([
    ["without a filter", () => undefined, PAGE_SIZE],
    ["of a rule", () => ({ $match: { ruleID } }), 1],
    ["of a rule that does not exist", () => ({ $match: { ruleID: policyID } }), 0],
    [
      "of a period that are active",
      () => ({
        $and: [
          { $match: { periodID: "continuous" } },
          { $in: { status: ["OPEN", "ACKNOWLEDGED"] } },
        ],
      }),
      2,
    ],
    ["of a status", () => ({ $match: { status: "OPEN" } }), 2],
  ])("alerts %s", async (_name, filter, count) => {
    bindings.take();
    const { data } = await listAlerts(context, queryOf("last_seen_at", filter()));
    expect(data).toHaveLength(count);
    expect(bindings.take()).toBeLessThan(ROWS_MAX);
  });

  test.each([
    ["without a filter", () => undefined, PAGE_SIZE],
    ["of a rule", () => ({ $match: { ruleID } }), 1],
    ["of a result", () => ({ $match: { result: "FAIL" } }), 2],
  ])("evaluations %s", async (_name, filter, count) => {
    bindings.take();
    const { data } = await listEvaluations(context, queryOf("created_at", filter()));
    expect(data).toHaveLength(count);
    expect(bindings.take()).toBeLessThan(ROWS_MAX);
  });

  test.each([
    ["without a filter", () => undefined, PAGE_SIZE],
    ["of a policy", () => ({ $match: { policyID } }), 1],
  ])("reconciliations %s", async (_name, filter, count) => {
    bindings.take();
    const { data } = await listReconciliations(context, queryOf("created_at", filter()));
    expect(data).toHaveLength(count);
    expect(bindings.take()).toBeLessThan(ROWS_MAX);
  });

  test("a filter may say which rule evaluations are not of", async () => {
    const other = { $not: { $match: { ruleID: policyID } } };
    const { data } = await listEvaluations(context, queryOf("created_at", other));
    expect(data).toHaveLength(PAGE_SIZE);
  });
});

test("a page of evaluations ends early where their evidence is long, and a walk shows each of them once", async () => {
  const { id } = await failingRule();
  const made: string[] = [];
  for (let count = 0; count < 5; count++) made.unshift((await evaluateNow(id)).id);
  const evidence = JSON.stringify([
    { fingerprint: "x", passed: false, evidence: { text: "x".repeat(700_000) } },
  ]);
  await env.DB.prepare("UPDATE reconciliation_evaluations SET evidence = ?1 WHERE rule_id = ?2")
    .bind(evidence, id)
    .run();
  const first = await pageOf<EvaluationBody>(
    await api(`${filtered("/evaluations", { $match: { ruleID: id } })}&pageSize=100`),
  );
  const shown = [first];
  for (let page = first; page.hasMore; shown.push(page)) {
    page = await pageOf(await api(`${RECONCILIATION}/evaluations?cursor=${page.next}`));
  }
  expect(shown.map(({ data }) => data.length)).toEqual([2, 2, 1]);
  const all = shown.flatMap(({ data }) => data);
  expect(all.map((one) => one.id)).toEqual(made);
  for (const one of all) expect(one.evidence).toEqual(JSON.parse(evidence));
  expect((await alertOf(id)).occurrenceCount).toBe(5);
});
