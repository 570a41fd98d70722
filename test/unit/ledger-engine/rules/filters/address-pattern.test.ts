import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addressMatcher,
  addressRanges,
  exactAddress,
  isWithin,
  parseAddressPattern,
} from "#ledger-engine/rules/filters/address-pattern.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const ADDRESSES = [
  "empty:one",
  "merchants:7:main",
  "users",
  "users:1",
  "users:1:savings",
  "users:2",
  "users:2:savings",
  "users-old:1",
  "users0",
  "world",
];

/** Whether an address matches a pattern, by a comparison of each segment. */
function isMatch(pattern: string, address: string): boolean {
  const wanted = pattern.split(":");
  const isOpen = wanted.at(-1) === "...";
  if (isOpen) wanted.pop();
  const segments = address.split(":");
  if (isOpen ? segments.length < wanted.length : segments.length !== wanted.length) return false;
  return wanted.every((segment, index) => segment === "" || segment === segments[index]);
}

describe("a pattern", () => {
  test.each<[string, string[]]>([
    ["users:1", ["users:1"]],
    ["users", ["users"]],
    ["nobody", []],
    ["bad address", []],
    ["users:", ["users:1", "users:2"]],
    ["users::savings", ["users:1:savings", "users:2:savings"]],
    ["users::", ["users:1:savings", "users:2:savings"]],
    ["users:1:", ["users:1:savings"]],
    [":1", ["users:1", "users-old:1"]],
    [":2:savings", ["users:2:savings"]],
    [":", ["empty:one", "users:1", "users:2", "users-old:1"]],
    ["::", ["merchants:7:main", "users:1:savings", "users:2:savings"]],
    ["", ["users", "users0", "world"]],
    ["...", ADDRESSES],
    ["users:...", ["users", "users:1", "users:1:savings", "users:2", "users:2:savings"]],
    ["users:2:...", ["users:2", "users:2:savings"]],
    ["merchants::main:...", ["merchants:7:main"]],
    ["users::...", ["users:1", "users:1:savings", "users:2", "users:2:savings"]],
    ["users:...:savings", []],
    ["users:....", []],
    ["Users:", []],
  ])("the pattern %j matches %j", (text, addresses) => {
    expect(ADDRESSES.filter(addressMatcher(parseAddressPattern(text)))).toEqual(addresses);
  });

  test.each([
    ["users:1", "users:1"],
    ["users", "users"],
    ["a:...:b", "a:...:b"],
    ["users:", undefined],
    [":1", undefined],
    ["", undefined],
    ["...", undefined],
    ["users:...", undefined],
  ])("the pattern %j names the address %j", (text, address) => {
    expect(exactAddress(parseAddressPattern(text))).toBe(address);
  });

  test.each([
    ["users:1", [{ from: "users:1", below: "users:1\u0001" }]],
    ["users:", [{ from: "users:", below: "users;" }]],
    ["users::main", [{ from: "users:", below: "users;" }]],
    ["a:b::c:...", [{ from: "a:b:", below: "a:b;" }]],
    [
      "users:...",
      [
        { from: "users", below: "users\u0001" },
        { from: "users:", below: "users;" },
      ],
    ],
    [":1", [{ from: "", below: undefined }]],
    ["...", [{ from: "", below: undefined }]],
  ])("the pattern %j lies in %j", (text, ranges) => {
    expect(addressRanges(parseAddressPattern(text))).toEqual(ranges);
  });

  const segment = fc.string({ unit: fc.constantFrom("a", "b", "-", "_", "Z", "0"), minLength: 1 });
  const wanted = fc.oneof(segment, fc.constant(""), fc.constantFrom("a", "b"));
  const address = fc
    .array(fc.oneof(fc.constantFrom("a", "b"), segment), { minLength: 1, maxLength: 4 })
    .map((segments) => segments.join(":"));
  const pattern = fc
    .tuple(fc.array(wanted, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([segments, isOpen]) => [...segments, ...(isOpen ? ["..."] : [])].join(":"));

  test("an address pattern matches what its segments match, and its ranges contain all of that", () => {
    let matched = 0;
    fc.assert(
      fc.property(pattern, address, (text, candidate) => {
        const parsed = parseAddressPattern(text);
        const matches = addressMatcher(parsed)(candidate);
        expect(matches).toBe(isMatch(text, candidate));
        const within = addressRanges(parsed).filter((range) => isWithin(candidate, range));
        expect(within.length).toBeLessThanOrEqual(1);
        if (!matches) return;
        matched++;
        expect(within).toHaveLength(1);
      }),
      { numRuns: runsOf(5000) },
    );
    expect(matched).toBeGreaterThan(runsOf(100));
  });

  test("an address pattern that names an address matches it and no other", () => {
    fc.assert(
      fc.property(address, address, (named, other) => {
        const parsed = parseAddressPattern(named);
        expect(exactAddress(parsed)).toBe(named);
        expect(addressMatcher(parsed)(named)).toBe(true);
        expect(addressMatcher(parsed)(other)).toBe(named === other);
      }),
    );
  });
});
