import { describe, expect, test } from "vitest";
import { stringifyJson } from "#platform/json.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { fromMicros, toMicros } from "#platform/time.ts";
import { addressesOf } from "#test/support/ledger-engine/account-reads.ts";
import {
  at,
  BARE,
  create,
  posting,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { walk } from "#test/support/ledger-engine/walks.ts";

describe("a ledger with many accounts", () => {
  const ACCOUNTS = 24_000;
  const address = (index: number): string => `u:${String(index).padStart(5, "0")}`;
  const ledger = new TestLedger();
  const paid = (from: number) =>
    create(
      Array.from({ length: 800 }, (_, index) =>
        posting(`world -> ${address(from + index)}`, from + index),
      ),
    );
  for (let from = 0; from < ACCOUNTS; from += 4000) {
    ledger.bulk([0, 800, 1600, 2400, 3200].map((more) => paid(from + more)));
  }
  const gold = [3, 11_999, 23_998, 23_999];
  for (const index of gold) ledger.run(setMetadata(address(index), { tier: "gold" }));

  for (let index = 23_000; index < 23_300; index++) {
    ledger.run(setMetadata(address(index), { tier: "silver" }));
  }

  test("a ledger with many accounts counts them in parts, each of which goes on where the one before ended", () => {
    expect(ledger.engine.reads.countAccounts({})).toEqual({ count: ACCOUNTS + 1 });
    const parts = (where: object): number[] => {
      const query = { where: stringifyJson(where) };
      const found = [ledger.engine.reads.countAccounts(query)];
      for (let last = found[0]; last?.after !== undefined; last = found.at(-1)) {
        found.push(ledger.engine.reads.countAccounts(query, last.after));
      }
      return found.map((part) => part.count);
    };
    expect(parts({ $match: { address: "u:..." } })).toEqual([20_000, 4000]);
    expect(parts({ $not: { $match: { address: "world" } } })).toEqual([20_000, 4000]);
    expect(parts({ $gte: { first_usage: "2020-01-01T00:00:00Z" } })).toEqual([20_000, 4001]);
    expect(parts({ $gte: { updated_at: "2020-01-01T00:00:00Z" } })).toEqual([20_000, 4001]);
    expect(parts({ $gte: { balance: 12_000 } })).toEqual([7999, 4001]);
    expect(parts({ $match: { "metadata[tier]": "gold" } })).toEqual([4]);
  });

  test.each(["address", "first_usage", "insertion_date", "updated_at"])(
    "a ledger with many accounts finds the few that match, in the order of %s",
    async (column) => {
      const where = stringifyJson({ $match: { "metadata[tier]": "gold" } });
      const columns = { [column]: column === "address" ? "text" : "date" } as const;
      const read = async (query: PageQuery) =>
        ledger.engine.reads.listAccounts({ ...query, where }, BARE);
      const { forward, backward } = await walk(read, {
        columns,
        column,
        order: "desc",
        pageSize: 3,
      });
      const pages = [...forward, ...backward].map((page) => page.map(({ address }) => address));
      const all = gold.map(address).toReversed();
      expect(pages).toEqual([all.slice(0, 3), all.slice(3), all.slice(0, 3)]);
    },
  );

  test.each(["address", "updated_at"])(
    "a ledger with many accounts walks through many neighbours that match, in the order of %s",
    async (column) => {
      const where = stringifyJson({ $match: { "metadata[tier]": "silver" } });
      const columns = { [column]: column === "address" ? "text" : "date" } as const;
      const read = async (query: PageQuery) =>
        ledger.engine.reads.listAccounts({ ...query, where }, BARE);
      const { forward } = await walk(read, { columns, column, order: "asc", pageSize: 7 });
      expect(forward.flat().map((account): string => account.address)).toEqual(
        Array.from({ length: 300 }, (_, index) => address(23_000 + index)),
      );
    },
  );

  test("a ledger with many accounts finds what no index serves, wherever it is", () => {
    expect(addressesOf(ledger, { where: { $match: { "balance[USD]": 23_456 } } })).toBe("u:23456");
    expect(addressesOf(ledger, { where: { $like: { address: "%3456" } } })).toBe(
      "u:03456 u:13456 u:23456",
    );
    expect(addressesOf(ledger, { where: { $not: { $match: { address: "u:" } } } })).toBe("world");
    const start = { value: address(20_000) };
    expect(addressesOf(ledger, { where: { $match: { address: ":22222" } }, start })).toBe(
      "u:22222",
    );
  });

  test("a ledger with many accounts starts among equal dates at the given id", () => {
    const micros = toMicros(at("10:00:03"));
    const start = { value: micros, tie: 8002n };
    const query = { column: "first_usage", pageSize: 2, start } as const;
    // The id of an account is its number plus two, because the world has the id 1 and numbers start at 0.
    expect(addressesOf(ledger, query)).toBe("u:08000 u:08001");
    expect(addressesOf(ledger, { ...query, order: "desc" })).toBe("u:08000 u:07999");
    const before = fromMicros(micros - 1n);
    expect(
      addressesOf(ledger, { pit: before, column: "first_usage", order: "desc", pageSize: 1 }),
    ).toBe("u:07999");
  });
});
