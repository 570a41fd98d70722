import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isExpired } from "#modules/wallets/core/balance.ts";
import { balanceAddress, holdAddress, isMain } from "#modules/wallets/core/chart.ts";
import { toHold } from "#modules/wallets/core/hold.ts";
import { derivedId, hashOfRequest, ledgerKey } from "#modules/wallets/core/ids.ts";
import { refund } from "#modules/wallets/core/refund.ts";
import { sendScript } from "#modules/wallets/core/scripts.ts";
import { present } from "#platform/assert.ts";
import { parseTimestamp } from "#platform/time.ts";

describe("ids that follow from keys", () => {
  test("ids that follow from keys are UUIDs of version 5, as others compute them", () => {
    expect(derivedId("wallet", "alice")).toBe("83217366-ea72-59ec-88b0-35b6e3f772df");
    expect(derivedId("hold", "é€")).toBe("7c6a293f-6ae9-5050-8b39-69fb59dec769");
  });

  test("ids that follow from keys have the same hash for the same request, whatever the order of its metadata", () => {
    const hash = "10ea80330ddb5c91806b5d3b7a2c5511130dfc07cc3cbd6c8c77fa7b90d3590a";
    expect(hashOfRequest('a"b', { a: "é", "9": "y", "10": "x" })).toBe(hash);
  });

  test("ids that follow from keys fit into the ledger, however long the client's are", () => {
    const long = "x".repeat(300);
    expect(ledgerKey("key", "order-1")).toBe("wallets/key/order-1");
    expect(ledgerKey("key", long).length).toBeLessThan(256);
    expect(ledgerKey("key", long)).not.toBe(ledgerKey("key", `${long}x`));
  });
});

describe("addresses", () => {
  test("addresses of wallets have no dashes", () => {
    expect(balanceAddress("a-b", "pay-out")).toBe("wallets:ab:payout");
    expect(balanceAddress("a-b")).toBe("wallets:ab:main");
    expect(holdAddress("1-2")).toBe("wallets:holds:12");
    expect(isMain("ma-in")).toBe(true);
  });

  test.each(["holds", "ho-lds", "", "-", "a:b", "a b", "ä"])(
    "addresses of wallets know no wallet '%s'",
    (id) => {
      expect(() => balanceAddress(id)).toThrow("invalid format for account");
    },
  );
});

test.each([
  ["2029-12-31T23:59:59.999999Z", false],
  ["2030-01-01T00:00:00Z", false],
  ["2030-01-01T00:00:00.000001Z", true],
])("a balance that expires at the beginning of 2030 has expired at %s: %s", (now, expected) => {
  const timeOf = (text: string) => present(parseTimestamp(text), "the test names a time");
  const expiresAt = timeOf("2030-01-01T00:00:00Z");
  expect(isExpired({ expiresAt }, timeOf(now))).toBe(expected);
});

test("a script has no address of a client in its text, and ends with the world", () => {
  const money = { amount: 5n, asset: "USD/2" };
  const to = { destination: "b" };
  const { script, vars } = sendScript(money, { sources: ["a", "a", "world", "c"], ...to });
  expect(script).toContain("source = {\n$source0\n@world\n}");
  expect(vars).toEqual({ amount: "USD/2 5", destination: "b", source0: "a" });
  const other = sendScript(money, { sources: ["z", "world"], ...to });
  expect(other.script).toBe(script);
});

test("a refund gives everything back, the first one first, and nobody more than they gave", () => {
  const amount = fc.bigInt({ min: 0n, max: 20n });
  const account = fc.constantFrom("a", "b", "c");
  fc.assert(
    fc.property(
      fc.array(fc.record({ account, amount }), { maxLength: 5 }),
      amount,
      (given, left) => {
        const parts = refund(left, { given, rest: "rest" });
        expect(parts.reduce((sum, part) => sum + part.amount, 0n)).toBe(left);
        expect(parts.every((part) => part.amount > 0n)).toBe(true);
        const owed = (name: string) =>
          given
            .filter((part) => part.account === name)
            .reduce((sum, part) => sum + part.amount, 0n);
        for (const part of parts) {
          if (part.account !== "rest") expect(part.amount).toBeLessThanOrEqual(owed(part.account));
        }
        const all = given.reduce((sum, part) => sum + part.amount, 0n);
        expect(parts.find((part) => part.account === "rest")?.amount ?? 0n).toBe(
          left > all ? left - all : 0n,
        );
      },
    ),
  );
});

test.each([
  ["without a kind", {}],
  ["without an id", { "wallets/spec/type": "wallets.hold" }],
  ["with a broken subject", { "wallets/holds/subject": "{" }],
  ["with a subject of another type", { "wallets/holds/subject": '{"type":1,"identifier":"a"}' }],
])("an account %s is no hold", (name, metadata) => {
  const whole = {
    "wallets/spec/type": "wallets.hold",
    "wallets/holds/id": "h",
    "wallets/holds/wallet_id": "w",
    "wallets/holds/asset": "USD/2",
    "wallets/holds/subject": '{"type":"WALLET","identifier":"w","balance":"b"}',
  };
  const account = { address: "wallets:holds:h", firstUsage: "", volumes: {} };
  expect(toHold({ ...account, metadata: whole })).toMatchObject({ id: "h", remaining: 0n });
  const isWhole = name.includes("subject");
  expect(
    toHold({ ...account, metadata: isWhole ? { ...whole, ...metadata } : metadata }),
  ).toBeUndefined();
});
