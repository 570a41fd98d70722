import { describe, expect, test } from "vitest";
import { grantScopes, mayHave, splitScopes } from "#modules/auth/core/scopes.ts";

describe("granted scopes", () => {
  const allowed = ["a:read", "b:write", "openid", "email"];

  test.each([
    ["", ""],
    ["a:read", "a:read"],
    ["b:write a:read", "b:write a:read"],
    ["a:read a:read", "a:read a:read"],
    ["a:read c:read", "a:read"],
    ["A:READ", ""],
    ["a:read,b:write", ""],
    ["  a:read   b:write ", "a:read b:write"],
    ["email openid", "openid"],
  ])("granted scopes of the request '%s' are '%s'", (requested, granted) => {
    expect(grantScopes(requested, allowed)).toBe(granted);
  });

  test("granted scopes of a client without scopes are none", () => {
    expect(grantScopes("a:read", [])).toBe("");
  });
});

test("scopes of a token are separated by spaces", () => {
  expect(splitScopes("")).toEqual(new Set());
  expect(splitScopes(" a:read  b:write ")).toEqual(new Set(["a:read", "b:write"]));
});

test("a write scope allows reads, and a read scope allows no writes", () => {
  expect(mayHave(["ledger:write"], "ledger:read")).toBe(true);
  expect(mayHave(["ledger:read"], "ledger:read")).toBe(true);
  expect(mayHave(["ledger:read"], "ledger:write")).toBe(false);
  expect(mayHave(["wallets:write"], "ledger:read")).toBe(false);
  expect(mayHave([":write"], "read")).toBe(false);
});
