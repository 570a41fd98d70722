import { describe, expect, test } from "vitest";
import { canonicalJson } from "#modules/reconciliation/core/canonical-json.ts";
import { driftError, driftOf } from "#modules/reconciliation/core/drift.ts";
import { parseUuid } from "#modules/reconciliation/core/uuid.ts";
import { parseJson } from "#platform/json.ts";

type Amounts = Readonly<Record<string, bigint>>;

describe("the drift of a ledger and a pool", () => {
  test.each<[Amounts, Amounts, Amounts, string]>([
    [{ USD: 100n, EUR: 200n }, { USD: -100n, EUR: -200n }, { EUR: 0n, USD: 0n }, ""],
    [
      { USD: 200n, EUR: 300n },
      { USD: -100n, EUR: -200n },
      { EUR: 100n, USD: 100n },
      "balance drift for asset EUR; balance drift for asset USD",
    ],
    [
      { USD: 100n, EUR: 200n },
      { USD: -100n, EUR: -400n },
      { EUR: 200n, USD: 0n },
      "balance drift for asset EUR",
    ],
    [
      { EUR: 200n },
      { USD: -100n, EUR: -200n },
      { EUR: 0n, USD: 100n },
      "balance drift for asset USD",
    ],
    [
      { USD: 100n, EUR: 200n },
      { USD: -100n, DKK: -200n },
      { DKK: 200n, EUR: 200n, USD: 0n },
      "balance drift for asset DKK; balance drift for asset EUR",
    ],
    [{ USD: 100n, EUR: 0n }, { USD: -100n }, { EUR: 0n, USD: 0n }, ""],
    [{ USD: 100n }, { USD: -100n, EUR: 0n }, { EUR: 0n, USD: 0n }, ""],
    [{}, {}, {}, ""],
    [{ X: 2n ** 80n }, { X: -(2n ** 80n) + 1n }, { X: 1n }, "balance drift for asset X"],
  ])("the drift of %o and %o is %o", (...[ledger, payments, drift, error]) => {
    const found = driftOf(ledger, payments);
    expect(found.drift).toEqual(drift);
    expect(driftError(found)).toBe(error);
    const assets = Object.keys(drift);
    expect(Object.keys(found.ledger)).toEqual(assets);
    expect(Object.keys(found.payments)).toEqual(assets);
  });
});

test.each([
  ["0C5B0A1E-6F41-4F7D-9A53-5A9A2F4E1B77"],
  ["urn:uuid:0c5b0a1e-6f41-4f7d-9a53-5a9a2f4e1b77"],
  ["{0c5b0a1e-6f41-4f7d-9a53-5a9a2f4e1b77}"],
  ["0c5b0a1e6f414f7d9a535a9a2f4e1b77"],
])("the UUID %s has one canonical form", (text) => {
  expect(parseUuid(text)).toBe("0c5b0a1e-6f41-4f7d-9a53-5a9a2f4e1b77");
});

test.each([[""], ["x"], ["{0c5b0a1e6f414f7d9a535a9a2f4e1b77}"], ["0c5b0a1e-6f41-4f7d-9a53"]])(
  "the text '%s' is no UUID",
  (text) => {
    expect(parseUuid(text)).toBeUndefined();
  },
);

test("canonical JSON has members in order, and numbers as they were written", () => {
  const text = '{"b":[{"d":1.50,"c":123456789012345678901}],"a":null}';
  expect(canonicalJson(parseJson(text))).toBe(
    '{"a":null,"b":[{"c":123456789012345678901,"d":1.50}]}',
  );
});
