import { expect, test } from "vitest";
import { TRANSACTION_DATE_COLUMNS } from "#ledger-engine/read/transactions/transaction-rows.ts";
import type { Transaction } from "#ledger-engine/rules/types.ts";
import { decodeCursor } from "#platform/paging/cursor.ts";
import type { ColumnQuery } from "#platform/paging/query.ts";
import {
  at,
  create,
  posting,
  revert,
  setMetadata,
  TestLedger,
  WITH_VOLUMES,
} from "#test/support/ledger-engine/fixtures.ts";

/** Page sizes: some pages of `FEW` rows are packed. A page of all rows is too long to be packed. */
const FEW = 7;
const ALL = 100;

const METADATA = [
  {},
  { key: "value" },
  { key: "x".repeat(3900) },
  { key: "x".repeat(4100) },
  { key: "é".repeat(2100) },
  { 'quoted "\\': "\u0001\n\u{10FFFF}\u2028é", __proto__x: "1", "10": "2", "9": "3" },
  { number: "12345678901234567890.5" },
];

/** Transactions of many kinds: some with a date, a reference, metadata of any length, several postings, or a revert. */
function mixed(): TestLedger {
  const ledger = new TestLedger();
  for (let index = 0; index < 40; index++) {
    const amount = index % 4 === 0 ? 10n ** 40n : BigInt(index);
    const one = posting(`world -> users:${index}`, amount, index % 3 === 0 ? "USD/2" : "EUR/2");
    const postings = index % 9 === 8 ? Array.from({ length: 300 }, () => one) : [one];
    const timestamp = [undefined, at("9999-12-31T23:59:59.999999Z"), at("1600-01-01T00:00:00Z")][
      index % 3
    ];
    const { id } = ledger.commit(
      create(postings, {
        metadata: METADATA[index % METADATA.length] ?? {},
        force: true,
        ...(timestamp === undefined ? {} : { timestamp }),
        ...(index % 5 === 0 ? { reference: `"\\\u0001é${index}` } : {}),
      }),
    );
    if (index % 6 === 0) ledger.run(setMetadata(id, METADATA[(index / 6) % METADATA.length] ?? {}));
    if (index % 8 === 3) ledger.commit(revert(id, { force: true }));
  }
  return ledger;
}

const COLUMNS = ["id", "inserted_at", ...TRANSACTION_DATE_COLUMNS] as const;

const RULES = {
  columns: {
    id: "integer",
    timestamp: "date",
    inserted_at: "date",
    updated_at: "date",
    reverted_at: "date",
  },
  pageSizeMax: ALL,
} as const;

test.each(COLUMNS)("transactions by %s are the same, few at a time or all", (column) => {
  const { reads } = mixed().engine;
  const filters = [undefined, { $exists: { metadata: "key" } }, { $match: { account: "world" } }];
  for (const order of ["asc", "desc"] as const) {
    for (const filter of filters) {
      const where = filter === undefined ? {} : { where: JSON.stringify(filter) };
      const query = { kind: "column", column, order, reverse: false, ...where } as const;
      const all = reads.listTransactions({ ...query, pageSize: ALL }, WITH_VOLUMES);
      expect(all.data.length).toBeGreaterThan(FEW);
      expect(all.next).toBeUndefined();
      expect(walk(query)).toEqual(all.data);
      for (const transaction of all.data) {
        expect(reads.findTransaction(transaction.id, WITH_VOLUMES)).toEqual(transaction);
      }
    }
  }

  function walk(query: Omit<ColumnQuery, "pageSize">): Transaction[] {
    let page = reads.listTransactions({ ...query, pageSize: FEW }, WITH_VOLUMES);
    const walked = [...page.data];
    while (page.next !== undefined) {
      const next = decodeCursor(page.next, RULES);
      page = reads.listTransactions(next, WITH_VOLUMES);
      walked.push(...page.data);
    }
    return walked;
  }
});
