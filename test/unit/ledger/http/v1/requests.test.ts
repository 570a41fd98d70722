import { describe, expect, test } from "vitest";
import {
  parseTransactionId,
  toAccountPage,
  toBalancePage,
  toLogPage,
  toTransactionPage,
} from "#modules/ledger/http/v1/requests.ts";
import {
  AccountListQuery,
  BalanceListQuery,
  LogListQuery,
  TransactionListQuery,
} from "#modules/ledger/http/v1/schemas.ts";
import { encodeCursor } from "#platform/paging/cursor.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

const settings = platformSettings.parse({ ...TEST_SETTINGS, FLORIN_MAX_PAGE_SIZE: "100" });
const transactions = (query: object) =>
  toTransactionPage({ ledger: "main", settings, query: TransactionListQuery.parse(query) });
const accounts = (query: object) =>
  toAccountPage({ ledger: "main", settings, query: AccountListQuery.parse(query) });
const balances = (query: object) =>
  toBalancePage({ ledger: "main", settings, query: BalanceListQuery.parse(query) });
const logs = (query: object) =>
  toLogPage({ ledger: "main", settings, query: LogListQuery.parse(query) });

describe("a page of version 1", () => {
  test("a page of version 1 has the size that is asked for, up to the largest", () => {
    expect(transactions({}).pageSize).toBe(15);
    expect(transactions({ pageSize: "7", page_size: "8" }).pageSize).toBe(7);
    expect(transactions({ page_size: "8" }).pageSize).toBe(8);
    expect(transactions({ pageSize: "101" }).pageSize).toBe(100);
  });

  test("a page of version 1 of transactions always has volumes, whatever other expansions are asked for", () => {
    expect(transactions({}).expand).toEqual(["volumes"]);
    expect(transactions({ expand: "effectiveVolumes" }).expand).toEqual([
      "volumes",
      "effectiveVolumes",
    ]);
  });

  test("a page of version 1 takes several expansions in one parameter", () => {
    const both = ["volumes", "effectiveVolumes"];
    expect(accounts({ expand: "volumes,effectiveVolumes" }).expand).toEqual(both);
    expect(transactions({ expand: "effectiveVolumes,other" }).expand).toEqual([...both, "other"]);
  });

  test("a page of version 1 goes on with its own cursor, even under the older name of the parameter", () => {
    const page = { ...transactions({ account: "a" }), start: { value: 7n } };
    const cursor = encodeCursor(page);
    expect(transactions({ cursor })).toEqual(page);
    expect(transactions({ pagination_token: cursor, reference: "r" })).toEqual(page);
  });

  test("a page of version 1 refuses the cursors of lists that show something else", () => {
    const cursors = {
      transactions: encodeCursor({ ...transactions({}), list: "main/transactions" }),
      logs: encodeCursor({ ...logs({}), list: "main/logs" }),
      balances: encodeCursor(accounts({})),
    };
    expect(() => transactions({ cursor: cursors.transactions })).toThrow("another list");
    expect(() => logs({ cursor: cursors.logs })).toThrow("another list");
    expect(() => balances({ cursor: cursors.balances })).toThrow("another list");
  });

  test("a page of version 1 of addresses starts after a given one", () => {
    for (const list of [accounts, balances]) {
      expect(list({ after: "users:1" })).toMatchObject({ start: { value: "users:1-" } });
      expect(list({})).not.toHaveProperty("start");
      expect(() => list({ after: "users:" })).toThrow("after");
    }
  });

  test("a page of version 1 starts right after an address: no other one is in between", () => {
    const start = "users:1-";
    const behind = [
      "users:1-",
      "users:10",
      "users:1:a",
      "users:1A",
      "users:1_",
      "users:1a",
      "users:2",
    ];
    expect(behind.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(behind);
    expect(behind.every((address) => address >= start)).toBe(true);
    expect(["users:1", "users:0z", "users"].every((address) => address < start)).toBe(true);
  });

  test("a page of version 1 starts where its cursor says", () => {
    const cursor = encodeCursor({
      ...accounts({}),
      kind: "column",
      reverse: false,
      start: { value: "m" },
    });
    expect(accounts({ pagination_token: cursor, after: "a" })).toMatchObject({
      start: { value: "m" },
    });
  });
});

describe("the id of a transaction", () => {
  test.each([
    ["0", 0],
    ["12", 12],
    ["007", 7],
  ])("the transaction id %s is valid", (text, id) => {
    expect(parseTransactionId(text)).toBe(id);
  });

  test.each(["x", "-1", "1.5", "", "99999999999999999999"])(
    "the transaction id %j is invalid",
    (text) => {
      expect(() => parseTransactionId(text)).toThrow("invalid transaction ID");
    },
  );
});
