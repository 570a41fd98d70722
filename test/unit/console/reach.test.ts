import { afterEach, describe, expect, test, vi } from "vitest";
import { boundLedgers, hasScope, may, session } from "#console/api/florin.ts";
import type { Grant } from "#console/api/issuer.ts";
import { allowsLedger } from "#console/api/ledger-patterns.ts";
import { mayReadEvent } from "#console/places/developers/reach.ts";
import { ALERT_EVENT_TYPES_TABLE } from "#modules/reconciliation/alerts/event-types.ts";

const GRANT: Grant = {
  subject: "ada",
  accessToken: "token",
  expiresMs: 0,
  scopes: ["wallets:write", "ledger:read"],
  idToken: undefined,
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

test.each(Object.entries(ALERT_EVENT_TYPES_TABLE))(
  "the events %s are chosen only by who may read all that they hold",
  (type, { scopes = [] }) => {
    const needed = ["reconciliation:read", ...scopes];
    const name = `reconciliation.${type.toLowerCase()}`;
    signIn({ scopes: needed });
    expect(mayReadEvent(name)).toBe(true);
    for (const missing of needed) {
      signIn({ scopes: needed.filter((scope) => scope !== missing) });
      expect(mayReadEvent(name)).toBe(false);
    }
  },
);

test("a pattern allows the ledger of its name, or those that begin as it does before its star", () => {
  expect(allowsLedger(["eu-*"], "eu-books")).toBe(true);
  expect(allowsLedger(["eu-*"], "us-books")).toBe(false);
  expect(allowsLedger(["us-books", "eu-books"], "eu-books")).toBe(true);
  expect(allowsLedger(["eu"], "eu-books")).toBe(false);
  expect(allowsLedger(["*"], "wallets-002")).toBe(true);
});
