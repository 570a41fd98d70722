import { describe, expect, test } from "vitest";
import { wholePage } from "#bench/reads/whole-page.ts";
import type { LedgerReads } from "#ledger-engine/read/ledger-reads.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import {
  ALL,
  BARE,
  create,
  posting,
  refusalOf,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

const SIZE = 1500;
/** A filter with so many conditions that a row takes as much work as many rows, and a turn tries only a few rows. */
const HEAVY = Array.from({ length: 480 }, (_, index) => ({
  $not: { $exists: { metadata: `k${index}` } },
}));

/** A ledger where all transactions pay `a`, except for the first, one in the middle and the last ones. */
function ledgerOf(): TestLedger {
  const ledger = new TestLedger();
  ledger.bulk(
    Array.from({ length: SIZE }, (_, index) =>
      create(posting(RARE.includes(index + 1) ? `world -> b:${index}` : `world -> a:${index}`, 1)),
    ),
  );
  return ledger;
}
const RARE = [1, 700, 1498, 1499, 1500];
const RARE_ONES = JSON.stringify({
  $and: [...HEAVY, { $not: { $match: { destination: "a:" } } }],
});

const transactions = (reads: LedgerReads, query: Partial<PageQuery>) =>
  wholePage({ ...ALL, where: RARE_ONES, ...query } as PageQuery, (part) =>
    // `ALL` with a column is a column query
    reads.listTransactions(part, BARE),
  );

describe("a page that takes much work", () => {
  test.each(["id", "inserted_at", "timestamp", "updated_at"])(
    "a page of transactions by %s that takes much work is read in turns, there and back",
    (column) => {
      const { reads } = ledgerOf().engine;
      for (const order of ["asc", "desc"] as const) {
        const { page, turns } = transactions(reads, { column, order });
        expect(turns).toBeGreaterThan(2);
        expect(page.data.map(({ id }) => id)).toEqual(order === "asc" ? RARE : RARE.toReversed());
        expect([page.hasMore, page.next, page.previous]).toEqual([false, undefined, undefined]);
      }
    },
  );

  test("a page that takes much work has the same cursors as if it were read in one turn", () => {
    const { reads } = ledgerOf().engine;
    const light = JSON.stringify({ $not: { $match: { destination: "a:" } } });
    const slow = transactions(reads, { order: "desc", pageSize: 2 }).page;
    const fast = transactions(reads, { order: "desc", pageSize: 2, where: light }).page;
    expect(slow.data).toEqual(fast.data);
    expect(slow.next === undefined).toBe(fast.next === undefined);
    expect(cursorOf(slow.next)).toEqual(cursorOf(fast.next));
  });

  test("a page of accounts that takes much work is read in turns, too", () => {
    const { reads } = ledgerOf().engine;
    const where = JSON.stringify({ $and: [...HEAVY, { $not: { $match: { address: "a:" } } }] });
    for (const column of ["address", "first_usage", "insertion_date", "updated_at"]) {
      const query = { ...ALL, column, where };
      const { page, turns } = wholePage(query, (part) => reads.listAccounts(part, BARE));
      expect(turns).toBeGreaterThan(1);
      expect(page.data.map(({ address }) => address).toSorted()).toEqual(
        ["world", ...RARE.map((id) => `b:${id - 1}`)].toSorted(),
      );
    }
  });

  test("a page that takes much work may not have many conditions that no index serves", () => {
    const { reads } = ledgerOf().engine;
    const like = (count: number) =>
      JSON.stringify({
        $or: Array.from({ length: count }, (_, index) => ({
          $like: { reference: `%${index}` },
        })),
      });
    const refusal = (count: number) =>
      refusalOf(() => reads.listTransactions({ ...ALL, where: like(count) }, BARE));
    expect([refusal(20), refusal(21)]).toEqual(["none", "VALIDATION"]);
  });
});

/** The contents of a cursor without its filters. */
function cursorOf(cursor = ""): unknown {
  const { filters: _, ...place } = JSON.parse(
    Buffer.from(cursor, "base64url").toString(),
  ) as Record<string, unknown>; // a cursor contains an object
  return place;
}
