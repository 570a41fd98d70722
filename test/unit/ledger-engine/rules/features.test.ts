import { expect, test } from "vitest";
import { parseFeatures } from "#ledger-engine/rules/features.ts";
import { refusalOf } from "#test/support/ledger-engine/fixtures.ts";

const DEFAULTS = {
  ACCOUNT_METADATA_HISTORY: "SYNC",
  HASH_LOGS: "SYNC",
  MOVES_HISTORY: "ON",
  MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "SYNC",
  TRANSACTION_METADATA_HISTORY: "SYNC",
};

test("features that are not chosen have their defaults, in the order of the reference", () => {
  const features = parseFeatures({ HASH_LOGS: "DISABLED" }, { mayChoose: true });
  expect(JSON.stringify(features)).toBe(JSON.stringify({ ...DEFAULTS, HASH_LOGS: "DISABLED" }));
});

test("unknown features and wrong values are refused by name", () => {
  expect(() => parseFeatures({ FOO: "ON" }, { mayChoose: true })).toThrow(
    'feature "FOO" does not exist',
  );
  expect(() => parseFeatures({ toString: "ON" }, { mayChoose: true })).toThrow("toString");
  expect(() => parseFeatures({ MOVES_HISTORY: "XXX" }, { mayChoose: true })).toThrow(
    'feature MOVES_HISTORY takes ON or OFF, not "XXX"',
  );
});

test("a server may refuse every choice", () => {
  expect(parseFeatures({}, { mayChoose: false })).toEqual(DEFAULTS);
  expect(refusalOf(() => parseFeatures({ HASH_LOGS: "SYNC" }, { mayChoose: false }))).toBe(
    "VALIDATION",
  );
});
