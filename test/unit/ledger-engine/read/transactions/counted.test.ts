import { describe, expect, test } from "vitest";
import { TransactionCounts } from "#ledger-engine/read/transactions/transaction-counts.ts";
import { Authorship } from "#ledger-engine/storage/authorship.ts";
import { LogReader } from "#ledger-engine/storage/log/log-reader.ts";
import { MetadataHistory } from "#ledger-engine/storage/metadata-history.ts";
import { KeptSums } from "#ledger-engine/storage/moves/kept-sums.ts";
import { StoredNames } from "#ledger-engine/storage/names/names.ts";
import { SchemaStore } from "#ledger-engine/storage/schema-store.ts";
import { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";
import {
  at,
  create,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { countOf, idsOf } from "#test/support/ledger-engine/transaction-reads.ts";

/** A hundred transactions: half of them pay one account, a fifth have metadata, and a fourth are back-dated. */
function hundred(): TestLedger {
  const ledger = new TestLedger();
  for (let index = 1; index <= 98; index++) {
    const postings = [posting(index % 2 === 0 ? "world -> a" : "b:1 -> b:2", index)];
    if (index % 10 === 0) postings.push(posting("world -> a", 1, "EUR"));
    const metadata = index % 5 === 0 ? { k: `${index % 3}` } : {};
    const timestamp = index % 4 === 0 ? { timestamp: at("09:00") } : {};
    ledger.commit(create(postings, { force: true, metadata, ...timestamp }));
  }
  ledger.run(revert(1, { force: true }));
  ledger.run(revert(2, { force: true }));
  ledger.run(setMetadata(3, { late: "1" }));
  return ledger;
}

/** The parts of a count with little work in each part. `between` may change the ledger after each part. */
function partsOf(
  ledger: TestLedger,
  { where, pit }: { where: object; pit?: Timestamp },
  between: () => void = () => {},
): number[] {
  const { sql, engine } = ledger;
  const names = new StoredNames(sql);
  const transactions = new TransactionReader(sql, names);
  const context = {
    sql,
    names,
    transactions,
    logs: new LogReader(sql, transactions, { keepsEffectiveVolumes: true }),
    history: new MetadataHistory(sql),
    schemas: new SchemaStore(sql),
    authorship: new Authorship(sql),
    features: engine.info.features,
    sums: new KeptSums(),
    sizes: { accountCount: engine.counts().accounts, assetCount: 1 },
    countTransactions: () => engine.counts().transactions,
    countMetadataPairs: () => 0,
  };
  const counts = new TransactionCounts(context, { rows: 20, entries: 20, ids: 30 });
  const query = { where: stringifyJson(where), pit };
  const parts = [counts.count(query)];
  for (let last = parts[0]; last?.after !== undefined; last = parts.at(-1)) {
    between();
    parts.push(counts.count(query, last.after));
  }
  return parts.map(({ count }) => count);
}

const sum = (parts: readonly number[]): number => parts.reduce((all, part) => all + part, 0);

describe("a count of transactions", () => {
  test("a count of transactions without a condition is the number of all", () => {
    const ledger = hundred();
    expect(countOf(ledger)).toBe(100);
    ledger.commit(create(posting("world -> a", 1)));
    expect(countOf(ledger)).toBe(101);
    expect(countOf(ledger, { where: { $and: [] } })).toBe(101);
  });

  test.each<[object, number[]]>([
    [{ $gt: { id: 90 } }, [10]],
    [{ $gt: { id: 10 } }, [30, 30, 30]],
    [{ $match: { account: "a" } }, [14, 15, 15, 6]],
    [{ $match: { source: "a" } }, [0, 0, 0, 1]],
    [{ $in: { account: ["a", "b:1"] } }, [29, 30, 30, 11]],
    [{ $match: { account: "b:" } }, [15, 15, 15, 5]],
    [{ $match: { reverted: true } }, [2]],
    [{ $match: { timestamp: "2026-03-01T09:00:00Z" } }, [7, 17]],
    [{ $gte: { updated_at: "2026-03-01T10:01:39Z" } }, [5]],
    [{ $exists: { metadata: "late" } }, [1]],
    [{ $exists: { metadata: "k" } }, [19]],
    [{ $not: { $exists: { metadata: "k" } } }, [16, 16, 16, 16, 17]],
    [{ $match: { "metadata[k]": "1" } }, [6]],
    [{ $or: [{ $lt: { id: 11 } }, { $match: { "metadata[k]": "1" } }] }, [15]],
    [{ $match: { account: "nobody" } }, [0]],
  ])("a count of transactions is made in parts of bounded work: %j", (where, parts) => {
    const ledger = hundred();
    expect(partsOf(ledger, { where })).toEqual(parts);
    expect(sum(parts)).toBe(idsOf(ledger, { where }).length);
    expect(countOf(ledger, { where })).toBe(sum(parts));
  });

  test("a count of transactions is of a point in time, too", () => {
    const ledger = hundred();
    const pit = at("10:00:50");
    const filters = [
      { $match: { account: "a" } },
      { $match: { reverted: false } },
      { $not: { $match: { "metadata[k]": "1" } } },
      { $gte: { id: 0 } },
    ];
    for (const where of filters) {
      const expected = idsOf(ledger, { where, pit }).length;
      expect(expected).toBeGreaterThan(20);
      expect(sum(partsOf(ledger, { where, pit }))).toBe(expected);
      expect(countOf(ledger, { where, pit })).toBe(expected);
    }
  });

  test("a count of transactions leaves out what is written while it goes on", () => {
    for (const where of [{ $match: { source: "world" } }, { $like: { source: "w%" } }]) {
      const ledger = hundred();
      const expected = countOf(ledger, { where });
      const write = () => void ledger.commit(create(posting("world -> a", 1)));
      expect(sum(partsOf(ledger, { where }, write))).toBe(expected);
    }
  });
});
