import { expect, test } from "vitest";
import { containsMetadata, mergeMetadata, withoutKey } from "#ledger-engine/rules/metadata.ts";
import type { Metadata } from "#ledger-engine/rules/types.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** Metadata from the wire, where `__proto__` is an ordinary key. */
const odd = parseJson('{"__proto__":"p","constructor":"c","10":"ten","9":"nine"}') as Metadata;

test("added metadata wins over what was there", () => {
  expect(mergeMetadata({ a: "1", b: "2" }, { b: "3", c: "4" })).toEqual({
    a: "1",
    b: "3",
    c: "4",
  });
});

test("keys that every JavaScript object has are metadata like others", () => {
  const merged = mergeMetadata({ a: "1" }, odd);
  expect(stringifyJson(merged)).toBe(
    '{"9":"nine","10":"ten","a":"1","__proto__":"p","constructor":"c"}',
  );
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect(stringifyJson(withoutKey(odd, "10"))).toBe(
    '{"9":"nine","__proto__":"p","constructor":"c"}',
  );
  expect(Object.hasOwn(withoutKey(odd, "__proto__"), "__proto__")).toBe(false);
});

test("containing means every pair, and no inherited member passes for one", () => {
  expect(containsMetadata({ a: "1", b: "2" }, { b: "2" })).toBe(true);
  expect(containsMetadata({ a: "1" }, {})).toBe(true);
  expect(containsMetadata({ a: "1" }, { a: "2" })).toBe(false);
  expect(containsMetadata({ a: "1" }, { b: "1" })).toBe(false);
  expect(containsMetadata({}, odd)).toBe(false);
  expect(containsMetadata(odd, odd)).toBe(true);
});
