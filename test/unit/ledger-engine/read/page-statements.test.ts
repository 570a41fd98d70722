import { describe, expect, test } from "vitest";
import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import type { ColumnQuery, PageQuery } from "#platform/paging/query.ts";
import { fromMicros, toMicros } from "#platform/time.ts";
import {
  ALL,
  create,
  posting,
  revert,
  setMetadata,
  TestLedger,
  WITH_VOLUMES,
} from "#test/support/ledger-engine/fixtures.ts";
import { StatementCounts } from "#test/support/ledger-engine/statement-counts.ts";
import {
  idsOf,
  transactionPage,
  type TransactionsWanted,
} from "#test/support/ledger-engine/transaction-reads.ts";

/** The number of statements that `work` runs. */
function statementsOf(sql: StatementCounts, work: () => unknown): number {
  sql.counts.clear();
  work();
  return sql.total;
}

describe("a page of the log", () => {
  const list = (ledger: TestLedger, query: Partial<ColumnQuery> = {}): readonly LogListEntry[] =>
    ledger.engine.reads.listLogs({
      kind: "column",
      column: "id",
      order: "desc",
      pageSize: 15,
      reverse: false,
      ...query,
    }).data;

  test("a page of the log takes one statement for its entries and one for the volumes of those that are new", () => {
    const sql = new StatementCounts();
    const ledger = new TestLedger({ sql });
    for (let count = 1; count <= 40; count++) {
      ledger.run(create([posting(`world -> a:${count}`, count), posting("world -> b", 1, "EUR")]));
      if (count % 3 === 0) ledger.run(setMetadata("b", { count: `${count}` }));
    }
    const first = list(ledger, { pageSize: 100 }); // the list loads the names into memory
    expect(statementsOf(sql, () => list(ledger))).toBe(1);
    expect(statementsOf(sql, () => list(ledger, { order: "asc" }))).toBe(1);
    ledger.run(create([posting("world -> a:1", 7), posting("world -> b", 1, "EUR")]));
    expect(statementsOf(sql, () => list(ledger))).toBe(2);
    expect(statementsOf(sql, () => list(ledger))).toBe(1);
    expect(list(ledger, { pageSize: 100 }).slice(1)).toEqual(first);
  });

  test("a page of the log has the same entries, whatever their size and whatever stands between them", () => {
    const sql = new StatementCounts();
    const ledger = new TestLedger({ sql });
    for (let count = 1; count <= 60; count++) {
      const metadata = { k: "x".repeat(count % 7 === 0 ? 65_000 : count) };
      const postings = [posting("world -> a", count), posting("a -> b", 1, "EUR")];
      const { id } = ledger.commit(create(postings, { metadata, force: true }));
      if (count % 5 === 0) ledger.run(revert(id, { force: true }));
      if (count % 11 === 0) ledger.run(setMetadata(id, metadata));
      if (count % 13 === 0) ledger.run(create(posting("world -> a", 1)), { dryRun: true });
    }
    const ids = ledger.logs().map(({ id }) => id);
    const alone = ids.flatMap((id) => list(ledger, { where: `{"$match":{"id":${id}}}` }));
    expect(alone.map(({ id }) => id)).toEqual(ids);
    for (const type of ["NEW_TRANSACTION", "REVERTED_TRANSACTION", "SET_METADATA", undefined]) {
      const expected = alone.filter(({ data }) => type === undefined || data.type === type);
      const where = type === undefined ? {} : { where: `{"$match":{"type":"${type}"}}` };
      for (const pageSize of [100, 500]) {
        expect(list(ledger, { order: "asc", pageSize, ...where })).toEqual(expected);
        expect(list(ledger, { pageSize, ...where })).toEqual(expected.toReversed());
      }
    }
  });
});

describe("a page of transactions by date", () => {
  const SIZE = 300;

  /** A ledger with transactions a second apart. Those in `backDated` have the date of the transaction `back` ids before. */
  function ledgerWith(backDated: readonly number[], back = 200) {
    const sql = new StatementCounts();
    const ledger = new TestLedger({ sql });
    for (let id = 1; id <= SIZE; id++) {
      const timestamp = fromMicros(toMicros(ledger.now) - BigInt(back) * 1_000_000n);
      const dated = backDated.includes(id) ? { timestamp } : {};
      ledger.run(create(posting("world -> a", 1), dated));
    }
    return { sql, ledger };
  }

  const page = (ledger: TestLedger, query: TransactionsWanted): number[] =>
    idsOf(ledger, { pageSize: 15, ...query });

  test("a page of transactions by date takes few statements where few transactions have a date of their own", () => {
    for (const backDated of [[], [40], [40, 170, 260]]) {
      const { sql, ledger } = ledgerWith(backDated);
      const all = transactionPage(ledger, { order: "asc" }).data;
      const middle = all[149]?.insertedAt ?? "";
      for (const order of ["asc", "desc"] as const) {
        for (const operator of ["$lt", "$gte"] as const) {
          const where = { [operator]: { timestamp: middle } };
          const matching = all
            .filter(({ timestamp }) =>
              operator === "$lt" ? timestamp < middle : timestamp >= middle,
            )
            .map(({ id }) => id);
          const expected = order === "asc" ? matching : matching.toReversed();
          expect(page(ledger, { where, order })).toEqual(expected.slice(0, 15));
          expect(idsOf(ledger, { where, order })).toEqual(expected);
          expect(statementsOf(sql, () => page(ledger, { where, order }))).toBeLessThan(8);
        }
      }
    }
  });

  test("a page of transactions by date reads the rows of the page and no others, where none has a date of its own", () => {
    const { sql, ledger } = ledgerWith([]);
    const where = { $lt: { timestamp: ledger.transaction(150).insertedAt } };
    // Statements: the last id at the date (once), whether any transaction has a date of its own, and the rows.
    expect(statementsOf(sql, () => page(ledger, { where }))).toBe(3);
    expect(statementsOf(sql, () => page(ledger, { where }))).toBe(2);
  });

  test("a page of transactions by date finds what is inserted at the last date, too", () => {
    const { ledger } = ledgerWith([]);
    const last = ledger.transaction(SIZE).insertedAt;
    const where = { $lte: { timestamp: last } };
    expect(page(ledger, { where })[0]).toBe(SIZE);
    ledger.now = fromMicros(toMicros(last) - 1_000_000n); // the clock of the ledger goes on a second at each write
    ledger.run(create(posting("world -> a", 1)));
    expect(ledger.transaction(SIZE + 1).insertedAt).toBe(last);
    expect(page(ledger, { where })[0]).toBe(SIZE + 1);
  });
});

describe("accounts and their transactions", () => {
  test("accounts and their transactions take as few statements, also after an asset was added", () => {
    const sql = new StatementCounts();
    const ledger = new TestLedger({ sql });
    const accounts: PageQuery = { ...ALL, column: "address", pageSize: 15 };
    for (const asset of ["USD", "EUR", "GBP"]) {
      for (let count = 1; count <= 20; count++) {
        ledger.run(create(posting(`world -> a:${count}`, count, asset)));
      }
      const { reads } = ledger.engine;
      const volumes = Object.keys(ledger.volumes("a:7"));
      expect(volumes).toContain(asset);
      expect(reads.listAccounts(accounts, WITH_VOLUMES).data[0]?.volumes).toHaveLength(
        volumes.length,
      );
      expect(statementsOf(sql, () => reads.findAccount("a:7", WITH_VOLUMES))).toBe(1);
      expect(statementsOf(sql, () => reads.listAccounts(accounts, WITH_VOLUMES))).toBe(1);
    }
    const where = { $match: { account: "a:7" } };
    expect(idsOf(ledger, { where })).toEqual([47, 27, 7]);
    // Statements: the account, the nearest move of each asset, the account's moves of each asset, and the rows.
    expect(statementsOf(sql, () => idsOf(ledger, { where }))).toBe(6);
  });
});
