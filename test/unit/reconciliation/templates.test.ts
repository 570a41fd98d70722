import { describe, expect, test } from "vitest";
import type { TemplateKind } from "#modules/reconciliation/core/rule.ts";
import { parseTemplate } from "#modules/reconciliation/core/templates/parse.ts";
import {
  type CheckOutcome,
  type Reading,
  sourceKeys,
  WHOLE,
} from "#modules/reconciliation/core/templates/template.ts";

const POOL = "7f0e6f0a-30a3-4c0e-bd8e-6e1c0f0a4b55";
const QUERY = { $match: { address: "obligations:" } };
const LARGE = 2n ** 80n;

const whole = (balances: Readonly<Record<string, bigint>>): Reading => new Map([[WHOLE, balances]]);

const outcomesOf = (
  [kind, spec]: readonly [TemplateKind, object],
  ...readings: readonly Reading[]
): CheckOutcome[] => [...parseTemplate(kind, spec).outcomes(readings)];

describe("drift of a ledger and a pool", () => {
  const spec = { ledger: "main", ledgerQuery: QUERY, paymentsPoolID: POOL };
  const drift = (fields: object = {}) => ["ledger_vs_pool_drift", { ...spec, ...fields }] as const;

  test("the union of both sides is checked, with a tolerance that includes its bound", () => {
    const found = outcomesOf(
      drift({ tolerance: { "USD/2": 50 } }),
      whole({ "USD/2": 100n, "EUR/2": LARGE }),
      whole({ "USD/2": -150n, "GBP/2": 1n }),
    );
    expect(found).toEqual([
      {
        fingerprint: "asset:EUR/2",
        passed: false,
        evidence: {
          asset: "EUR/2",
          ledgerBalanceRaw: String(LARGE),
          ledgerBalance: String(LARGE),
          ledgerSign: 1n,
          poolBalance: "0",
          drift: String(LARGE),
          signedDrift: String(LARGE),
          tolerance: 0n,
          compiledCEL: `abs(balance(ledgerSet("main", {"$match":{"address":"obligations:"}}), "EUR/2") + balance(pool("${POOL}"), "EUR/2")) <= 0`,
        },
      },
      expect.objectContaining({ fingerprint: "asset:GBP/2", passed: false }),
      {
        fingerprint: "asset:USD/2",
        passed: true,
        proof: { ledger: "100", ledgerSign: "1", pool: "-150", tolerance: "50" },
      },
    ]);
  });

  test("a negative sign compares balances that ought to be equal", () => {
    const [found] = outcomesOf(drift({ ledgerSign: -1 }), whole({ X: 5n }), whole({ X: 7n }));
    expect(found).toMatchObject({
      evidence: { ledgerBalanceRaw: "5", ledgerBalance: "-5", signedDrift: "2", drift: "2" },
    });
  });

  test("nothing on both sides has no outcome", () => {
    expect(outcomesOf(drift(), whole({}), whole({}))).toEqual([]);
  });
});

test("an invariant checks the assets of its tolerance only, over several ledgers", () => {
  const spec = {
    terms: [
      { ledger: "a", query: QUERY, sign: 1 },
      { ledger: "a", query: QUERY, sign: -1 },
      { ledger: "b", query: QUERY, sign: -1 },
    ],
    tolerance: { "EUR/2": 1, "USD/2": 0 },
  };
  expect(sourceKeys(parseTemplate("ledger_invariant", spec).sources)).toEqual([
    "ledger:a#0",
    "ledger:a#1",
    "ledger:b#0",
  ]);
  const found = outcomesOf(
    ["ledger_invariant", spec],
    whole({ "EUR/2": 10n, "USD/2": 5n, "GBP/2": 1n }),
    whole({ "EUR/2": 4n }),
    whole({ "EUR/2": 5n, "USD/2": 7n }),
  );
  expect(found).toEqual([
    {
      fingerprint: "asset:EUR/2",
      passed: true,
      proof: { positive: "10", negative: "-9", tolerance: "1" },
    },
    {
      fingerprint: "asset:USD/2",
      passed: false,
      evidence: expect.objectContaining({
        signedSum: "-2",
        absDrift: "2",
        termValues: ["5", "0", "-7"],
        tolerance: 0n,
      }) as unknown,
    },
  ]);
});

describe("thresholds", () => {
  const spec = {
    ledger: "main",
    query: QUERY,
    bounds: { "EUR/2": { min: 0, max: 10 }, X: { min: 1 } },
  };

  test("a threshold of a whole set counts an absent asset as zero", () => {
    expect(outcomesOf(["account_threshold", spec], whole({ "EUR/2": 10n }))).toEqual([
      { fingerprint: "asset:EUR/2", passed: true, proof: { balance: "10", min: "0", max: "10" } },
      {
        fingerprint: "asset:X",
        passed: false,
        evidence: expect.objectContaining({ asset: "X", balance: "0", min: 1n }) as unknown,
      },
    ]);
  });

  test("a threshold by account has an outcome for each account and asset", () => {
    const perAccount = { ...spec, mode: "per_account", bounds: { "EUR/2": { min: 0 } } };
    const reading: Reading = new Map([
      ["users:1", { "EUR/2": -1n }],
      ["users:2", { "EUR/2": 0n }],
    ]);
    const found = outcomesOf(["account_threshold", perAccount], reading);
    expect(found.map(({ fingerprint, passed }) => [fingerprint, passed])).toEqual([
      ["asset:EUR/2|account:users:1", false],
      ["asset:EUR/2|account:users:2", true],
    ]);
    expect(found[0]).toMatchObject({
      evidence: {
        account: "users:1",
        balance: "-1",
        compiledCEL: 'balance(account("main", "users:1"), "EUR/2") >= 0',
      },
    });
  });
});

test("parity compares account by account over the union of both sides", () => {
  const side = (ledger: string) => ({ kind: "ledger", ledger, query: QUERY });
  const spec = { left: side("a"), right: side("b"), scope: "per_account", tolerance: { X: 1 } };
  const found = outcomesOf(
    ["source_parity", spec],
    new Map([
      ["u:1", { X: 5n }],
      ["u:2", { X: 2n }],
    ]),
    new Map([
      ["u:1", { X: 4n }],
      ["u:3", { Y: 1n }],
    ]),
  );
  expect(found.map(({ fingerprint, passed }) => [fingerprint, passed])).toEqual([
    ["asset:X|account:u:1", true],
    ["asset:X|account:u:2", false],
    ["asset:Y|account:u:3", false],
  ]);
  expect(found[1]).toMatchObject({
    evidence: { leftSource: "ledger:a", leftBalance: "2", rightBalance: "0", signedDiff: "2" },
  });
});

test("parity takes a pool on either side", () => {
  const spec = {
    left: { kind: "payments_pool", poolID: `{${POOL}}` },
    right: { kind: "ledger", ledger: "a", query: QUERY },
  };
  expect(sourceKeys(parseTemplate("source_parity", spec).sources)).toEqual([
    `pool:${POOL}#0`,
    "ledger:a#0",
  ]);
});

describe("specifications are refused", () => {
  const term = { ledger: "a", query: QUERY, sign: 1 };
  const ledger = { kind: "ledger", ledger: "a", query: QUERY };
  const pool = { kind: "payments_pool", poolID: POOL };
  const drift = { ledger: "main", ledgerQuery: QUERY, paymentsPoolID: POOL };
  test.each<[string, TemplateKind, unknown]>([
    ["that are no object", "ledger_vs_pool_drift", null],
    ["without a query", "ledger_vs_pool_drift", { ...drift, ledgerQuery: undefined }],
    ["with an empty query", "ledger_vs_pool_drift", { ...drift, ledgerQuery: {} }],
    ["with a query that is no filter", "ledger_vs_pool_drift", { ...drift, ledgerQuery: { a: 1 } }],
    ["with a pool that is no UUID", "ledger_vs_pool_drift", { ...drift, paymentsPoolID: "p" }],
    ["with a ledger of no name", "ledger_vs_pool_drift", { ...drift, ledger: "a b" }],
    ["with a sign of two", "ledger_vs_pool_drift", { ...drift, ledgerSign: 2 }],
    ["with a negative tolerance", "ledger_vs_pool_drift", { ...drift, tolerance: { X: -1 } }],
    ["with a tolerance of no asset", "ledger_vs_pool_drift", { ...drift, tolerance: { usd: 1 } }],
    ["with a misspelt tolerance", "ledger_vs_pool_drift", { ...drift, tolerence: { X: 1 } }],
    ["without terms", "ledger_invariant", { terms: [], tolerance: { X: 0 } }],
    ["without tolerances", "ledger_invariant", { terms: [term], tolerance: {} }],
    [
      "with too many terms",
      "ledger_invariant",
      { terms: Array.from({ length: 21 }, () => term), tolerance: { X: 0 } },
    ],
    ["without bounds", "account_threshold", { ledger: "a", query: QUERY, bounds: {} }],
    ["with empty bounds", "account_threshold", { ledger: "a", query: QUERY, bounds: { X: {} } }],
    [
      "with bounds that cross",
      "account_threshold",
      { ledger: "a", query: QUERY, bounds: { X: { min: 2, max: 1 } } },
    ],
    [
      "with an unknown mode",
      "account_threshold",
      { ledger: "a", query: QUERY, mode: "x", bounds: { X: { min: 2 } } },
    ],
    ["with an unknown source", "source_parity", { left: { kind: "bank" }, right: ledger }],
    [
      "with a pool by account",
      "source_parity",
      { left: pool, right: ledger, scope: "per_account" },
    ],
    ["that are too long", "ledger_vs_pool_drift", { ...drift, ledger: "a".repeat(40_000) }],
  ])("specifications are refused %s", (_, kind, spec) => {
    expect(() => parseTemplate(kind, spec)).toThrow(
      expect.objectContaining({ kind: "VALIDATION" }),
    );
  });
});
