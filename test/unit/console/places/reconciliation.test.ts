import { beforeAll, describe, expect, test, vi } from "vitest";
import { snoozeUntil } from "#console/places/reconciliation/alerts/snooze-times.ts";
import { comparisonsOf, subjectOf } from "#console/places/reconciliation/checks/outcomes.ts";
import { accountsText, queryOf, specOf } from "#console/places/reconciliation/checks/spec.ts";
import type { Evaluation, Rule } from "#console/places/reconciliation/queries/common.ts";
import { parseJson } from "#platform/json.ts";

type Checked = Pick<Rule, "templateKind" | "templateSpec">;

const POOL = "7f0e6f0a-30a3-4c0e-bd8e-6e1c0f0a4b55";
const USERS = { $match: { address: "users:..." } };
const TIERS = { $and: [USERS, { $match: { "metadata[tier]": "gold" } }] };

describe("filters of accounts", () => {
  test.each([
    [{}, ""],
    [USERS, "users:..."],
    [{ $or: [USERS, { $match: { address: "fees" } }] }, "users:..., fees"],
    [TIERS, '{"$and":[{"$match":{"address":"users:..."}},{"$match":{"metadata[tier]":"gold"}}]}'],
    [{ $or: [USERS, TIERS] }, undefined],
    [{ $match: { address: "users", "metadata[tier]": "gold" } }, undefined],
    [{ $match: { address: "a, b" } }, '{"$match":{"address":"a, b"}}'],
  ])("%j is a text that means the same filter", (query, text) => {
    const shown = accountsText(query);
    if (text !== undefined) expect(shown).toBe(text);
    expect(queryOf(shown, parseJson)).toEqual(query);
  });

  test.each(["users:42;", "{", "[]", '"users"', "a b"])("%s is no filter", (text) => {
    expect(queryOf(text, parseJson)).toBeUndefined();
  });
});

describe("the form of a rule", () => {
  let changed: (rule: Checked) => unknown;

  beforeAll(async () => {
    vi.stubGlobal("localStorage", { getItem: () => "en" });
    const { draftOf, specificationOf } =
      await import("#console/places/reconciliation/rules/check-draft.ts");
    changed = (rule) => {
      const spec = specOf(rule);
      return spec === undefined ? undefined : specificationOf(draftOf(spec));
    };
  });

  test.each<Checked>([
    {
      templateKind: "ledger_vs_pool_drift",
      templateSpec: {
        ledger: "main",
        ledgerQuery: TIERS,
        ledgerSign: -1,
        paymentsPoolID: POOL,
        tolerance: { "USD/2": 50n, GEMS: 3n, "BTC/18": 123_456_789_012_345_678_901n },
      },
    },
    {
      templateKind: "ledger_invariant",
      templateSpec: {
        terms: [
          { ledger: "main", query: USERS, sign: 1 },
          { ledger: "other", query: TIERS, sign: -1 },
        ],
        tolerance: { "EUR/2": 0n },
      },
    },
    {
      templateKind: "account_threshold",
      templateSpec: {
        ledger: "main",
        query: USERS,
        mode: "per_account",
        bounds: { "EUR/2": { min: -12_345n }, "USD/2": { min: 0n, max: 1n } },
      },
    },
    {
      templateKind: "source_parity",
      templateSpec: {
        left: { kind: "ledger", ledger: "main", query: USERS },
        right: { kind: "payments_pool", poolID: POOL },
        scope: "aggregate",
      },
    },
  ])("a check of the kind $templateKind is stored as it was read", (rule) => {
    expect(changed(rule)).toEqual(rule.templateSpec);
  });

  test.each<Checked>([
    { templateKind: "source_parity", templateSpec: {} },
    { templateKind: "ledger_invariant", templateSpec: { terms: "all" } },
    { templateKind: "account_threshold", templateSpec: { ledger: 7 } },
  ])("a check that another version has stored in another form is not understood: %j", (rule) => {
    expect(specOf(rule)).toBeUndefined();
  });
});

describe("what a run has compared", () => {
  const differencesOf = (evidence: Evaluation["evidence"]) =>
    comparisonsOf({ evidence }).listed.map(({ asset, account, difference, passed }) => [
      asset,
      account,
      difference,
      passed,
    ]);

  test("the difference of checks that pass and fail has its sign, and failing ones come first", () => {
    const found = differencesOf([
      {
        fingerprint: "asset:EUR/2",
        passed: true,
        proof: { ledger: "5", ledgerSign: "-1", pool: "6", tolerance: "1" },
      },
      {
        fingerprint: "asset:USD/2|account:users:42|account:x",
        passed: false,
        evidence: { leftSource: "ledger:a", leftBalance: "1", rightBalance: "3", signedDiff: "-2" },
      },
    ]);
    expect(found).toEqual([
      ["USD/2", "users:42|account:x", -2n, false],
      ["EUR/2", undefined, 1n, true],
    ]);
  });

  test("checks that are only counted are told by their numbers", () => {
    const { listed, others, unchanged } = comparisonsOf({
      evidence: [
        { fingerprint: "others", passed: true, proof: { passed: "900" } },
        { fingerprint: "unchanged", passed: false, evidence: { failed: "12" } },
      ],
    });
    expect([listed, others, unchanged]).toEqual([[], "900", "12"]);
  });

  test("an error has compared nothing, and its fingerprint names no asset", () => {
    expect(differencesOf({ error: "ledger not found" })).toEqual([]);
    expect(subjectOf("engine.error")).toBeUndefined();
  });
});

describe("until when an alert is silenced", () => {
  const at = (text: string): number => new Date(text).getTime();

  test.each([
    ["hour", "2026-11-27T14:30", "2026-11-27T15:30"],
    ["tomorrow", "2026-12-31T23:59", "2027-01-01T09:00"],
    ["monday", "2026-11-27T14:30", "2026-11-30T09:00"],
    ["monday", "2026-11-30T08:00", "2026-12-07T09:00"],
    ["monday", "2026-11-29T08:00", "2026-11-30T09:00"],
  ] as const)("%s after %s", (choice, now, until) => {
    expect(at(snoozeUntil(choice, at(now)))).toBe(at(until));
  });
});
