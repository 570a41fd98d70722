import { describe, expect, test } from "vitest";
import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import type { ColumnQuery } from "#platform/paging/query.ts";
import {
  create,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { StatementCounts } from "#test/support/ledger-engine/statement-counts.ts";

/** How many statements some work takes. */
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

  test("takes one statement for its entries and one for their volumes", () => {
    const sql = new StatementCounts();
    const ledger = new TestLedger({ sql });
    for (let count = 1; count <= 40; count++) {
      ledger.run(create([posting(`world -> a:${count}`, count), posting("world -> b", 1, "EUR")]));
      if (count % 3 === 0) ledger.run(setMetadata("b", { count: `${count}` }));
    }
    list(ledger, { pageSize: 100 }); // the names are known from now on
    expect(statementsOf(sql, () => list(ledger))).toBe(2);
    expect(statementsOf(sql, () => list(ledger, { order: "asc" }))).toBe(2);
  });

  test("has the same entries, whatever their size and whatever stands between them", () => {
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
