import { describe, expect, test } from "vitest";
import {
  allowsLedger,
  assertLedgerAllowed,
  commonPatterns,
  coversLedgers,
  LEDGER_PATTERN,
} from "#platform/access/ledger-patterns.ts";

describe("patterns of ledgers", () => {
  test.each([
    [[], "any", true],
    [["main"], "main", true],
    [["main"], "main2", false],
    [["main"], "Main", false],
    [["eu-*"], "eu-1", true],
    [["eu-*"], "eu-", true],
    [["eu-*"], "eu", false],
    [["eu-*", "main"], "main", true],
    [["*"], "any", true],
  ])("the patterns %j allow '%s': %s", (patterns, name, isAllowed) => {
    expect(allowsLedger(patterns, name)).toBe(isAllowed);
  });

  test.each([
    [[], [], true],
    [[], ["main"], true],
    [["main"], [], false],
    [["*"], [], false],
    [["eu-*"], ["eu-1", "eu-x-*"], true],
    [["eu-*"], ["eu-*"], true],
    [["eu-*"], ["e*"], false],
    [["eu-1"], ["eu-*"], false],
    [["eu-*"], ["eu-1", "us-1"], false],
  ])("the patterns %j cover %j: %s", (patterns, others, isCovered) => {
    expect(coversLedgers(patterns, others)).toBe(isCovered);
  });

  test.each([
    [[], [], []],
    [["main"], [], ["main"]],
    [[], ["eu-*"], ["eu-*"]],
    [["eu-*"], ["eu-1", "us-1"], ["eu-1"]],
    [
      ["eu-*", "us-1"],
      ["eu-x-*", "us-*"],
      ["us-1", "eu-x-*"],
    ],
    [["*"], ["main"], ["main"]],
    [["eu-*"], ["eu-*"], ["eu-*"]],
    [["eu-*"], ["us-*"], undefined],
    [["eu-1"], ["eu-2"], undefined],
  ])("the patterns %j and %j both allow %j", (one, other, common) => {
    expect(commonPatterns(one, other)).toEqual(common);
  });

  test("patterns of ledgers are names, or beginnings of names", () => {
    for (const good of ["a", "A_1-b", "eu-*", "*"]) expect(good).toMatch(LEDGER_PATTERN);
    for (const bad of ["", "**", "*a", "a*b", "a b", "é", "a".repeat(64)]) {
      expect(bad).not.toMatch(LEDGER_PATTERN);
    }
  });

  test("patterns of ledgers refuse other ledgers as a missing scope does", () => {
    expect(() => assertLedgerAllowed({ ledgers: ["eu-*"] }, "us")).toThrow(
      expect.objectContaining({ kind: "UNAUTHENTICATED", details: 'error="insufficient_scope"' }),
    );
  });
});
