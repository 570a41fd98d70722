import { describe, expect, test } from "vitest";
import type { Command, Transaction } from "#ledger-engine/rules/types.ts";
import type { PageKey } from "#platform/paging/query.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";
import { fromMicros, toMicros, type Timestamp } from "#platform/time.ts";
import {
  create,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { countOf, idsOf, transactionPage } from "#test/support/ledger-engine/transaction-reads.ts";

const SIZE = 2600;
/** The number of transactions that are reverted, and the number of those that get metadata later. */
const CHANGES = 100;

/** Counts the rows that statements return, which may be fewer than they read. */
class CountingSql implements Sql {
  readonly #sql = new NodeSql();
  rows = 0;

  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] {
    const rows = this.#sql.all<Row>(statement, ...bindings);
    this.rows += rows.length;
    return rows;
  }

  transaction<T>(work: () => T): T {
    return this.#sql.transaction(work);
  }
}

const user = (index: number): string => `users:${String(index % 600).padStart(3, "0")}:main`;

/** The command for transaction `index`. Some accounts, keys and dates are frequent, some rare, some only early. */
function commandOf(index: number, now: Timestamp): Command {
  const moment = toMicros(now);
  const ways = [`world -> ${user(index * 7)}`, `${user(index * 11)} -> shops:${index % 150}`];
  if (index < 400) ways[0] = `world -> archive:${index % 120}:old`;
  if (index === 300 || index === 2000) ways[0] = `${user(index)} -> world`;
  const way = ways[index % 2] ?? "";
  const isZero = index % 50 === 0;
  const asset = index % 3 === 0 ? "EUR/2" : "USD/2";
  const postings = [posting(way, isZero ? 0 : index, asset)];
  if (index % 5 === 0) postings.push(posting("world -> fees", 1, asset));
  if (index === 1234) postings.push(posting("world -> fees", 10n ** 30n, asset));
  const metadata: Record<string, string> = {};
  if (index % 3 === 0) metadata["kind"] = index % 2 === 0 ? "deposit" : "payment";
  if (index < 700) metadata["era"] = `old-${index % 10}`;
  if (index % 1000 === 7) metadata["flag"] = "1";
  const isBack = index % 4 === 0;
  return create(postings, {
    force: true,
    metadata,
    ...(index % 3 === 1 ? { reference: `${index % 200 === 1 ? "inv" : "ref"}-${index}` } : {}),
    ...(isBack ? { timestamp: fromMicros(moment - BigInt(index % 40) * 60_000_000n) } : {}),
  });
}

const sql = new CountingSql();

function filled(): TestLedger {
  const ledger = new TestLedger({
    sql,
    features: { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" },
  });
  for (let from = 1; from <= SIZE; from += 100) {
    const commands = Array.from({ length: 100 }, (_, index) => commandOf(from + index, ledger.now));
    ledger.bulk(commands, { atomic: from % 500 === 1 });
  }
  const changes = Array.from({ length: CHANGES }, (_, index): Command[] => [
    revert(1 + index * 23, { force: true }),
    setMetadata(3 + index * 17, { checked: `${index % 3}` }),
  ]);
  for (let from = 0; from < CHANGES; from += 50) ledger.bulk(changes.slice(from, from + 50).flat());
  return ledger;
}

const ledger = filled();
const all = transactionPage(ledger, { order: "asc", pageSize: 10_000 }).data;

type Predicate = (transaction: Transaction) => boolean;
const source =
  (matches: RegExp): Predicate =>
  ({ postings }) =>
    postings.some((it) => matches.test(it.source));
const destination =
  (matches: RegExp): Predicate =>
  ({ postings }) =>
    postings.some((it) => matches.test(it.destination));
const account =
  (matches: RegExp): Predicate =>
  (it) =>
    source(matches)(it) || destination(matches)(it);
const middle = all[1500]?.insertedAt ?? "";
const later = all[1700]?.insertedAt ?? "";

/** Filters with their predicates. "selective" means that few entries of an index lead to the matches. */
const FILTERS: readonly [object, Predicate, "selective"?][] = [
  [{ $match: { id: 2000 } }, ({ id }) => id === 2000, "selective"],
  [{ $lt: { id: 2000 } }, ({ id }) => id < 2000],
  [{ $match: { reference: "inv-1" } }, ({ reference }) => reference === "inv-1", "selective"],
  [{ $like: { reference: "inv-%" } }, ({ reference }) => reference?.startsWith("inv-") === true],
  [{ $like: { reference: "ref-%" } }, ({ reference }) => reference?.startsWith("ref-") === true],
  [{ $like: { reference: "ref-%99" } }, ({ reference = "" }) => /^ref-.*99$/.test(reference)],
  [{ $like: { reference: "%999" } }, ({ reference = "" }) => reference.endsWith("999")],
  [
    { $not: { $like: { reference: "ref-%" } } },
    ({ reference = "" }) => reference.startsWith("inv-"),
  ],
  [
    { $not: { $or: [{ $like: { reference: "%9" } }, { $match: { account: "fees" } }] } },
    (it) => it.reference?.endsWith("9") === false && !account(/^fees$/)(it),
  ],
  [{ $match: { account: user(77) } }, account(/^users:077:main$/), "selective"],
  [{ $match: { account: "world" } }, account(/^world$/)],
  [{ $match: { source: "world" } }, source(/^world$/)],
  [{ $match: { destination: "world" } }, destination(/^world$/)],
  [{ $match: { source: "fees" } }, source(/^fees$/)],
  [{ $match: { destination: "shops:7" } }, destination(/^shops:7$/), "selective"],
  [{ $match: { account: "archive::old" } }, account(/^archive:/)],
  [{ $match: { destination: "archive:..." } }, destination(/^archive:/)],
  [{ $match: { source: "archive:..." } }, source(/^archive:/)],
  [{ $match: { account: ":7" } }, account(/^[^:]*:7$/)],
  [{ $match: { source: ":077:" } }, source(/^[^:]*:077:[^:]*$/)],
  [{ $in: { account: [user(1), "shops:3", "nobody"] } }, account(/^(users:001:main|shops:3)$/)],
  [{ $like: { destination: "users:00_:main" } }, destination(/^users:00\d:main$/), "selective"],
  [{ $not: { $match: { account: "world" } } }, (it) => !account(/^world$/)(it)],
  [{ $match: { "metadata[kind]": "payment" } }, ({ metadata }) => metadata["kind"] === "payment"],
  [{ $match: { "metadata[flag]": "1" } }, ({ metadata }) => metadata["flag"] === "1", "selective"],
  [
    { $in: { "metadata[era]": ["old-1", "old-2"] } },
    ({ metadata }) => /^old-[12]$/.test(metadata["era"] ?? ""),
  ],
  [{ $like: { "metadata[era]": "%-3" } }, ({ metadata }) => metadata["era"] === "old-3"],
  [{ $exists: { metadata: "era" } }, ({ metadata }) => metadata["era"] !== undefined],
  [{ $exists: { metadata: "kind" } }, ({ metadata }) => metadata["kind"] !== undefined],
  [
    { $exists: { metadata: "flag" } },
    ({ metadata }) => metadata["flag"] !== undefined,
    "selective",
  ],
  [{ $exists: { "metadata[kind]": false } }, ({ metadata }) => metadata["kind"] === undefined],
  [{ $match: { reverted: true } }, ({ revertedAt }) => revertedAt !== undefined],
  [{ $match: { reverted: false } }, ({ revertedAt }) => revertedAt === undefined],
  [{ $gte: { timestamp: middle } }, ({ timestamp }) => timestamp >= middle],
  [{ $lt: { timestamp: middle } }, ({ timestamp }) => timestamp < middle],
  [
    { $and: [{ $gte: { timestamp: middle } }, { $lt: { timestamp: later } }] },
    ({ timestamp }) => timestamp >= middle && timestamp < later,
  ],
  [{ $gt: { updated_at: middle } }, ({ updatedAt }) => updatedAt > middle],
  [{ $lte: { updated_at: middle } }, ({ updatedAt }) => updatedAt <= middle],
  [{ $gte: { reverted_at: middle } }, ({ revertedAt = "" }) => revertedAt >= middle],
  [{ $not: { $lt: { reverted_at: middle } } }, ({ revertedAt = "" }) => revertedAt >= middle],
  [
    { $not: { $match: { reverted_at: middle } } },
    ({ revertedAt }) => revertedAt !== undefined && revertedAt !== middle,
  ],
  [
    { $and: [{ $match: { account: "world" } }, { $match: { "metadata[flag]": "1" } }] },
    (it) => account(/^world$/)(it) && it.metadata["flag"] === "1",
  ],
  [
    { $and: [{ $match: { account: "fees" } }, { $exists: { metadata: "era" } }] },
    (it) => account(/^fees$/)(it) && it.metadata["era"] !== undefined,
  ],
  [
    { $or: [{ $match: { account: user(5) } }, { $like: { reference: "inv-%" } }] },
    (it) => account(/^users:005:main$/)(it) || it.reference?.startsWith("inv-") === true,
  ],
  [
    {
      $or: [
        { $lt: { timestamp: "2026-03-01T09:59:00Z" } },
        { $match: { "metadata[era]": "old-4" } },
      ],
    },
    (it) => it.timestamp < "2026-03-01T09:59:00" || it.metadata["era"] === "old-4",
  ],
];

const NEVER = "0001-01-01T00:00:00.000000Z" as Timestamp; // the earliest time that a timestamp can have
const DATES: Readonly<Record<string, (transaction: Transaction) => Timestamp>> = {
  id: () => NEVER,
  inserted_at: ({ insertedAt }) => insertedAt,
  timestamp: ({ timestamp }) => timestamp,
  updated_at: ({ updatedAt }) => updatedAt,
  reverted_at: ({ revertedAt }) => revertedAt ?? NEVER,
};

function keyOf(column: string, transaction: Transaction): PageKey {
  const tie = BigInt(transaction.id);
  const date = DATES[column] ?? (() => NEVER);
  return column === "id" ? { value: tie } : { value: toMicros(date(transaction)), tie };
}

function sorted(column: string, predicate: Predicate): Transaction[] {
  const date = DATES[column] ?? (() => NEVER);
  return all
    .filter(predicate)
    .toSorted((a, b) => (date(a) === date(b) ? a.id - b.id : date(a) < date(b) ? -1 : 1));
}

describe("a ledger with many transactions", () => {
  test("a ledger with many transactions has enough of everything for different scans to be chosen", () => {
    expect(all.length).toBe(SIZE + CHANGES);
    const dated = all.filter(({ timestamp, insertedAt }) => timestamp !== insertedAt);
    expect(dated.length).toBeGreaterThan(600);
  });

  test.each(FILTERS)(
    "a ledger with many transactions lists what a filter matches, in every order, from any page: %j",
    (where, is) => {
      for (const column of Object.keys(DATES)) {
        for (const order of ["asc", "desc"] as const) {
          const rising = sorted(column, is);
          const expected = order === "asc" ? rising : rising.toReversed();
          for (const [from, pageSize] of [
            [0, 5000],
            [0, 15],
            [Math.floor(expected.length / 3), 15],
            [expected.length - 5, 40],
          ] as const) {
            const first = expected[from];
            const start = first === undefined || from === 0 ? {} : { start: keyOf(column, first) };
            if (from > 0 && first === undefined) continue;
            const ids = idsOf(ledger, { column, order, pageSize, where, ...start });
            const shown = expected.slice(Math.max(0, from), Math.max(0, from) + pageSize);
            expect(ids).toEqual(shown.map(({ id }) => id));
          }
        }
      }
    },
  );

  test.each(FILTERS)(
    "a ledger with many transactions counts what a filter matches: %j",
    (where, is) => {
      expect(countOf(ledger, { where })).toBe(all.filter(is).length);
    },
  );

  test.each(FILTERS.filter(([, , kind]) => kind === "selective"))(
    "a ledger with many transactions reads few rows for a page of a selective filter: %j",
    (where) => {
      for (const column of ["id", "timestamp"]) {
        const before = sql.rows;
        idsOf(ledger, { column, where, pageSize: 15 });
        expect(sql.rows - before).toBeLessThan(400);
      }
    },
  );

  test("a ledger with many transactions reads few rows for a negated reference, if few transactions have any reference", () => {
    const rows = new CountingSql();
    const rare = new TestLedger({ sql: rows });
    const commands = Array.from({ length: 1000 }, (_, index) =>
      create(posting("world -> a", 1), index % 400 === 7 ? { reference: `ref-${index}` } : {}),
    );
    rare.bulk(commands, { atomic: true });
    const where = { $not: { $match: { reference: "ref-407" } } };
    const before = rows.rows;
    expect(idsOf(rare, { where })).toEqual([808, 8]);
    expect(countOf(rare, { where })).toBe(2);
    expect(rows.rows - before).toBeLessThan(100);
  });
});
