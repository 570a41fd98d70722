import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressTester } from "#ledger-engine/read/accounts/account-sets.ts";
import { gapsOf } from "#ledger-engine/rules/filters/address-gaps.ts";
import { parseAddressPattern } from "#ledger-engine/rules/filters/address-pattern.ts";
import { compileFilter } from "#ledger-engine/rules/filters/compiled-filter.ts";
import type { LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const ofPatterns = (...texts: string[]): LedgerFilter & { kind: "address" } => ({
  kind: "address",
  key: "address",
  patterns: texts.map(parseAddressPattern),
});

const matcherOf = (filter: LedgerFilter): ((address: string) => boolean) =>
  compileFilter<string>(filter, (it) => {
    if (it.kind !== "address") throw new Error("the filters of these tests test only addresses");
    return addressTester(it);
  });

/** Segments of which some are the beginnings of others, with characters on both sides of the colon. */
const SEGMENTS = ["a", "a-", "a0", "aB", "b", "B", "_"];
const segment = fc.constantFrom(...SEGMENTS);
const address = fc.array(segment, { minLength: 1, maxLength: 4 }).map((it) => it.join(":"));
const pattern = fc
  .tuple(fc.array(fc.oneof(segment, fc.constant("")), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([segments, isOpen]) => [...segments, ...(isOpen ? ["..."] : [])].join(":"));
const leaf = fc.array(pattern, { minLength: 1, maxLength: 3 }).map((it) => ofPatterns(...it));
const filter: fc.Arbitrary<LedgerFilter> = fc.letrec<{ node: LedgerFilter }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.record({
      kind: fc.constantFrom("all" as const, "any" as const),
      filters: fc.array(tie("node"), { maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("not" as const), filter: tie("node") }),
  ),
})).node;

describe("the gaps of a filter by addresses", () => {
  test("a gap contains its address and no match", () => {
    fc.assert(
      fc.property(filter, fc.array(address, { maxLength: 60 }), (wanted, addresses) => {
        const gaps = gapsOf(wanted);
        const matches = matcherOf(wanted);
        for (const it of addresses) {
          const gap = gaps?.(it);
          if (gap === undefined) continue;
          expect(gap.from <= it && it < gap.below).toBe(true);
          const inside = addresses.filter((other) => gap.from <= other && other < gap.below);
          expect(inside.filter(matches)).toEqual([]);
        }
      }),
      { numRuns: runsOf(2000) },
    );
  });

  test.each([
    ["users:", "users:1:main", { from: "users:1:", below: "users:1;" }],
    ["users:", "users:1", undefined],
    ["users::", "users:1", undefined],
    ["users::main", "users:1:fees", { from: "users:1:", below: "users:1:main" }],
    ["users::main", "users:1:main:x", { from: "users:1:main:", below: "users:1:main;" }],
    ["users::main", "users:1:saved", { from: "users:1:main\u0001", below: "users:1;" }],
    ["users::main:", "users:1:main-2:x", { from: "users:1:main\u0001", below: "users:1:main:" }],
    ["users::main:", "users:1:saved", { from: "users:1:main;", below: "users:1;" }],
    [":main", "users:1:main", { from: "users:", below: "users:main" }],
    [":main:...", "users:main:x", undefined],
  ] as const)("the gap of %s around %s", (text, around, gap) => {
    expect(gapsOf(ofPatterns(text))?.(around)).toEqual(gap);
  });

  test("a filter by many patterns, or by more than addresses, has no gaps", () => {
    expect(gapsOf(ofPatterns(...Array.from({ length: 33 }, () => "a:")))).toBeUndefined();
    expect(gapsOf({ kind: "any", filters: [] })).toBeUndefined();
    expect(gapsOf({ kind: "not", filter: ofPatterns("a:") })).toBeUndefined();
  });
});
