import { describe, expect, test } from "vitest";
import {
  allowsLedger,
  assertLedgerAllowed,
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
  ])("%j allow '%s': %s", (patterns, name, isAllowed) => {
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
  ])("%j cover %j: %s", (patterns, others, isCovered) => {
    expect(coversLedgers(patterns, others)).toBe(isCovered);
  });

  test("are names, or beginnings of names", () => {
    for (const good of ["a", "A_1-b", "eu-*", "*"]) expect(good).toMatch(LEDGER_PATTERN);
    for (const bad of ["", "**", "*a", "a*b", "a b", "é", "a".repeat(64)]) {
      expect(bad).not.toMatch(LEDGER_PATTERN);
    }
  });

  test("refuse other ledgers as a missing scope does", () => {
    expect(() => assertLedgerAllowed({ ledgers: ["eu-*"] }, "us")).toThrow(
      expect.objectContaining({ kind: "UNAUTHENTICATED", details: 'error="insufficient_scope"' }),
    );
  });
});
