import { afterEach, describe, expect, test, vi } from "vitest";
import { boundLedgers, hasScope, may, session } from "#console/api/florin.ts";
import type { Grant } from "#console/api/issuer.ts";
import { allowsLedger } from "#console/api/ledger-patterns.ts";

const GRANT: Grant = {
  subject: "ada",
  accessToken: "token",
  expiresMs: 0,
  scopes: ["wallets:write", "ledger:read"],
  idToken: undefined,
  name: "Ada",
  email: undefined,
  ledgers: [],
  reachesWallets: true,
};

const signIn = (grant: Partial<Grant>): void => {
  vi.spyOn(session, "state", "get").mockReturnValue({
    kind: "person",
    grant: { ...GRANT, ...grant },
  });
};

afterEach(() => vi.restoreAllMocks());

describe("what a person may do", () => {
  test("who may write may read, and nothing else", () => {
    signIn({});
    expect(["wallets:read", "wallets:write", "ledger:read"].map(may)).toEqual([true, true, true]);
    expect(["ledger:write", "payments:read"].map(may)).toEqual([false, false]);
  });

  test("whoever is bound to other ledgers than that of the wallets may do nothing with them", () => {
    signIn({ ledgers: ["eu-*"], reachesWallets: false });
    expect(["wallets:read", "wallets:write", "ledger:read"].map(may)).toEqual([false, false, true]);
    expect(hasScope("wallets:read")).toBe(true);
    expect(boundLedgers()).toEqual(["eu-*"]);
  });
});

test("a pattern allows the ledger of its name, or those that begin as it does before its star", () => {
  expect(allowsLedger(["eu-*"], "eu-books")).toBe(true);
  expect(allowsLedger(["eu-*"], "us-books")).toBe(false);
  expect(allowsLedger(["us-books", "eu-books"], "eu-books")).toBe(true);
  expect(allowsLedger(["eu"], "eu-books")).toBe(false);
  expect(allowsLedger(["*"], "wallets-002")).toBe(true);
});
