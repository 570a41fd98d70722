import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";
import {
  ALL,
  at,
  BARE,
  create,
  deleteMetadata,
  EXPANDED,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { objectOf } from "#test/support/ledger/api.ts";
import { CountingSql, type Rows } from "#test/support/ledger/counting-sql.ts";
import { freshName } from "#test/support/platform/api.ts";

const ACCOUNTS = 60;
const account = (index: number): string => `users:${index % ACCOUNTS}`;

/** A piece of work that is measured on a ledger with `size` transactions. */
type Work = (ledger: TestLedger, size: number) => unknown;

/** The query of a page from the middle of a list, as a cursor makes it. */
function middleOf(column: string, size: number): PageQuery {
  const id = BigInt(Math.floor(size / 2));
  const start =
    column === "id" ? { value: id } : { value: toMicros(at("10:00")) + id * 1_000_000n, tie: id };
  return { ...ALL, kind: "column", column, order: "desc", pageSize: 15, reverse: false, start };
}

const WORK: Record<string, Work> = {
  "a transaction": (ledger) => ledger.commit(create(posting(`world -> ${account(1)}`, 1))),
  "a bulk of a hundred": (ledger) =>
    ledger.bulk(
      Array.from({ length: 100 }, (_, index) => create(posting(`world -> ${account(index)}`, 1))),
    ),
  "a transaction with key and reference": (ledger) =>
    ledger.run(create(posting("world -> users:1", 1), { reference: "r-new" }), { key: "k-new" }),
  "a replay of a key": (ledger) =>
    ledger.run(create(posting("world -> users:0", 1), { reference: "r0" }), { key: "k0" }),
  "a used reference": (ledger) =>
    refusalOf(() => ledger.run(create(posting("world -> users:0", 1), { reference: "r0" }))),
  "a revert": (ledger, size) => ledger.run(revert(size)),
  "a transaction with metadata": (ledger) =>
    ledger.commit(create(posting(`world -> ${account(1)}`, 1), { metadata: { k: "v", l: "w" } })),
  "a transaction of zero": (ledger) => ledger.commit(create(posting(`world -> ${account(1)}`, 0))),
  "a transaction of a new account": (ledger) => ledger.commit(create(posting("world -> new", 1))),
  "metadata of a transaction": (ledger) => ledger.run(setMetadata(1, { k: "v" })),
  "other metadata of a transaction": (ledger) => ledger.run(setMetadata(1, { k: "w" })),
  "metadata of a transaction that comes back": (ledger) => ledger.run(setMetadata(1, { k: "v" })),
  "metadata of a transaction that is deleted": (ledger) => ledger.run(deleteMetadata(1, "k")),
  "metadata of an account": (ledger) => ledger.run(setMetadata("users:1", { k: "v" })),
  "other metadata of an account": (ledger) => ledger.run(setMetadata("users:1", { k: "w" })),
  "metadata of an account that is deleted": (ledger) => ledger.run(deleteMetadata("users:1", "k")),
  "one transaction": (ledger) => ledger.transaction(7),
  "one account with volumes": (ledger) => ledger.volumes("users:1"),
  "the busiest account with volumes": (ledger) => ledger.volumes("world"),
  "a page of accounts with volumes": (ledger) =>
    ledger.engine.reads.listAccounts({ ...ALL, column: "address", pageSize: 15 }, EXPANDED),
  ...Object.fromEntries(
    ["id", "inserted_at", "timestamp", "updated_at"].flatMap((column): [string, Work][] => [
      [
        `the first page by ${column}`,
        (ledger) =>
          ledger.engine.reads.listTransactions({ ...ALL, column, pageSize: 15 }, EXPANDED),
      ],
      [
        `a page in the middle by ${column}`,
        (ledger, size) => ledger.engine.reads.listTransactions(middleOf(column, size), BARE),
      ],
    ]),
  ),
};

/** Measures all reads and writes on a ledger of `size` transactions, each with empty caches. */
async function measureAll(size: number): Promise<Map<string, Rows>> {
  // The object holds no ledger of the server: the test runs an engine on its storage.
  return runInDurableObject(objectOf(freshName("counts")), (_, { storage }) => {
    const sql = new CountingSql(storage);
    const ledger = new TestLedger({ sql });
    ledger.run(create(posting("world -> users:0", 1), { reference: "r0" }), { key: "k0" });
    for (let made = 1; made < size; made++) {
      ledger.commit(create(posting(`world -> ${account(made)}`, 1)));
    }
    const found = new Map<string, Rows>();
    for (const [name, work] of Object.entries(WORK)) {
      ledger.open();
      found.set(
        name,
        sql.measure(() => work(ledger, size)),
      );
    }
    return found;
  });
}

/** Binary searches may read this many more rows in the larger ledger. */
const SEARCH_ROWS = 20;

describe("the rows that are billed", () => {
  let small: Map<string, Rows>;
  let large: Map<string, Rows>;
  beforeAll(async () => {
    [small, large] = [await measureAll(100), await measureAll(5000)];
  });

  test.each([
    // A transaction writes a row, which is its log entry as well, and two rows of moves.
    ["a transaction", 3],
    ["a bulk of a hundred", 300],
    ["a transaction with key and reference", 5],
    // Each metadata pair is a row.
    ["a transaction with metadata", 5],
    // Each move of a zero amount is also in an index.
    ["a transaction of zero", 5],
    // The new account is a row with entries in three indexes.
    ["a transaction of a new account", 7],
    // The reverted transaction is written again, in three indexes. The entry is in one index, and a pair refers to it.
    ["a revert", 9],
    // An entry is in an index and in the history of its target, which is in one index (transaction) or two (account).
    ["metadata of a transaction", 6],
    ["metadata of an account", 7],
    // The old pair is moved into the past, and a pair that comes back is removed from there.
    ["other metadata of a transaction", 8],
    ["other metadata of an account", 9],
    ["metadata of a transaction that comes back", 9],
    ["metadata of a transaction that is deleted", 7],
    ["metadata of an account that is deleted", 8],
  ])("the rows that are billed are counted for %s: %i are written", (name, written) => {
    expect(large.get(name)?.written).toBe(written);
  });

  test.each(Object.keys(WORK))("the billed rows do not grow with the ledger: %s", (name) => {
    const [few, many] = [small.get(name), large.get(name)];
    expect(many?.written).toBe(few?.written);
    expect(many?.read).toBeGreaterThan(0);
    expect(many?.read).toBeLessThanOrEqual((few?.read ?? 0) + SEARCH_ROWS);
  });

  test("the rows that are billed are few for a page: those of its items and of what they name", () => {
    const pages = [...large].filter(([name]) => name.includes("page"));
    expect(pages.length).toBeGreaterThan(8);
    expect(pages.filter(([, { read }]) => read > 200)).toEqual([]);
  });
});
