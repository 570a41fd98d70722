import { describe, expect, test } from "vitest";
import { isWanted, parsePattern } from "#modules/events/core/event-filter.ts";

describe("a pattern", () => {
  test.each([
    ["*", "*"],
    ["ledger.*", "ledger.*"],
    [" Ledger.Committed_Transactions ", "ledger.committed_transactions"],
    ["payments.connector.reset", "payments.connector.reset"],
  ])("the pattern %j is %j", (text, pattern) => {
    expect(parsePattern(text)).toBe(pattern);
  });

  test.each([
    "",
    "ledger",
    "ledger.",
    ".x",
    "*.x",
    "ledger.*.x",
    "led*",
    "a b.c",
    `a.${"x".repeat(254)}`,
  ])("the pattern %j is none", (text) => {
    expect(parsePattern(text)).toBeUndefined();
  });
});

describe("a filter", () => {
  const event = { name: "ledger.saved_metadata", ledger: "shop" };
  const all = { types: ["*"], ledgers: undefined };

  test.each([
    ["*", true],
    ["ledger.*", true],
    ["ledger.saved_metadata", true],
    ["ledger.saved", false],
    ["led.*", false],
    ["payments.*", false],
  ])("a filter of events takes or leaves those of the type %j", (pattern, wanted) => {
    expect(isWanted({ ...all, types: ["payments.x", pattern] }, event)).toBe(wanted);
  });

  test("a filter of events by ledgers leaves out the others, and what is about none", () => {
    const shop = { ...all, ledgers: ["shop"] };
    expect(isWanted(shop, event)).toBe(true);
    expect(isWanted(shop, { ...event, ledger: "shops" })).toBe(false);
    expect(isWanted(shop, { ...event, ledger: undefined })).toBe(false);
    expect(isWanted({ ...all, ledgers: [] }, event)).toBe(false);
    expect(isWanted(all, { ...event, ledger: undefined })).toBe(true);
  });
});
