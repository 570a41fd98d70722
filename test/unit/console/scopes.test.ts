import { expect, test } from "vitest";
import { isEverything, rightsOf, scopesOf } from "#console/places/access/scopes/scopes.ts";

test("scopes become levels of modules, and unknown ones stay as they are", () => {
  const rights = rightsOf(["ledger:write", "payments:read", "florin:operate", "books:print"]);
  expect(rights.levels).toMatchObject({ ledger: "write", payments: "read", wallets: "none" });
  expect(rights.operates).toBe(true);
  expect(rights.others).toEqual(["books:print"]);
});

test("a module whose level stays keeps its scopes, and a changed one gets those of its level", () => {
  const before = ["ledger:write", "payments:write", "books:print"];
  const rights = rightsOf(before);
  const next = {
    ...rights,
    levels: { ...rights.levels, payments: "read", wallets: "write" },
  } as const;
  expect(scopesOf(next, before)).toEqual([
    "ledger:write",
    "payments:read",
    "wallets:read",
    "wallets:write",
    "books:print",
  ]);
});

test("everything is the change of every module and the operation of the deployment", () => {
  const all = [
    "ledger",
    "payments",
    "wallets",
    "reconciliation",
    "orchestration",
    "webhooks",
    "search",
    "auth",
  ];
  const scopes = all.map((name) => `${name}:write`);
  expect(isEverything(rightsOf(scopes))).toBe(false);
  expect(isEverything(rightsOf([...scopes, "florin:operate"]))).toBe(true);
});
