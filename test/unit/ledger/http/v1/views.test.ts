import { describe, expect, test } from "vitest";
import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import type { Account, AccountRecord, Asset } from "#ledger-engine/rules/types.ts";
import {
  toAccountBalancesView,
  toAccountV1View,
  toLogV1Views,
} from "#modules/ledger/http/v1/views.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

const date = "2026-03-01T09:30:00.000000Z" as Timestamp;
const address = "__proto__" as Account;
const volumes = [
  { account: address, asset: "USD" as Asset, input: 10n ** 30n, output: 1n },
  { account: address, asset: "EUR" as Asset, input: 0n, output: 5n },
];
const account: AccountRecord = {
  address,
  metadata: {},
  firstUsage: date,
  insertionDate: date,
  updatedAt: date,
  volumes,
};

describe("an account", () => {
  test("an account of version 1 shows exact balances by asset", () => {
    const view = toAccountV1View(account, { effectiveVolumes: false });
    expect(stringifyJson(view.balances)).toBe(`{"EUR":-5,"USD":${10n ** 30n - 1n}}`);
    expect(Object.keys(view.volumes ?? {})).toEqual(["EUR", "USD"]);
  });

  test("an account of version 1 is the only key of its balances, whatever its name", () => {
    expect(stringifyJson(toAccountBalancesView(account))).toBe(
      `{"__proto__":{"EUR":-5,"USD":${10n ** 30n - 1n}}}`,
    );
    const { volumes: _, ...bare } = account;
    expect(stringifyJson(toAccountBalancesView(bare))).toBe('{"__proto__":{}}');
  });
});

describe("a log entry", () => {
  const target = { type: "ACCOUNT", id: address } as const;
  const entry = (data: LogListEntry["data"], hash: string): LogListEntry => ({
    id: 1,
    date,
    idempotencyKey: "",
    idempotencyHash: "h",
    data,
    hash,
  });

  test("a log entry of version 1 always has a hash, even if it is empty", () => {
    const data = { type: "SET_METADATA", target, metadata: {} } as const;
    expect(toLogV1Views(entry(data, "abc"))).toMatchObject([{ id: 1, hash: "abc" }]);
    expect(toLogV1Views(entry(data, ""))).toMatchObject([{ id: 1, hash: "" }]);
  });

  test("a log entry of version 1 of a type that the clients refuse is not shown", () => {
    expect(toLogV1Views(entry({ type: "DELETE_METADATA", target, key: "k" }, "abc"))).toEqual([]);
  });
});
