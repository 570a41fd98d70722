import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import type { Sql, SqlRow, SqlValue } from "../../src/modules/ledger/object/sql.ts";
import type { PageQuery } from "../../src/platform/pagination.ts";
import { toMicros } from "../../src/platform/time.ts";
import { freshName } from "../support/api.ts";
import { objectOf } from "../support/ledger-api.ts";
import {
  ALL,
  at,
  BARE,
  create,
  EXPANDED,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
} from "../support/ledger-fixtures.ts";

/** Rows as the platform bills them. */
interface Rows {
  readonly read: number;
  readonly written: number;
}

/** The SQL of an object that counts, by the counters that its bill is made of. */
class CountingSql implements Sql {
  readonly #storage: DurableObjectStorage;
  #read = 0;
  #written = 0;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] {
    const cursor = this.#storage.sql.exec<Row>(statement, ...bindings);
    const rows = cursor.toArray();
    this.#read += cursor.rowsRead;
    this.#written += cursor.rowsWritten;
    return rows;
  }

  transaction<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }

  /** What some work costs. */
  measure(work: () => unknown): Rows {
    const [read, written] = [this.#read, this.#written];
    work();
    return { read: this.#read - read, written: this.#written - written };
  }
}

const ACCOUNTS = 60;
const account = (index: number): string => `users:${index % ACCOUNTS}`;

/** What is measured on a ledger of some size, by name; with a cold memory where that is asked for. */
type Work = (ledger: TestLedger, size: number) => unknown;

/** A page from the middle on, by a cursor. */
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
  "metadata of a transaction": (ledger) => ledger.run(setMetadata(1, { k: "v" })),
  "metadata of an account": (ledger) => ledger.run(setMetadata("users:1", { k: "v" })),
  "one transaction": (ledger) => ledger.transaction(7),
  "one account with volumes": (ledger) => ledger.volumes("users:1"),
  "the busiest account with volumes": (ledger) => ledger.volumes("world"),
  "a page of accounts with volumes": (ledger) =>
    ledger.engine.listAccounts({ ...ALL, column: "address", pageSize: 15 }, EXPANDED),
  ...Object.fromEntries(
    ["id", "inserted_at", "timestamp", "updated_at"].flatMap((column): [string, Work][] => [
      [
        `the first page by ${column}`,
        (ledger) => ledger.engine.listTransactions({ ...ALL, column, pageSize: 15 }, EXPANDED),
      ],
      [
        `a page in the middle by ${column}`,
        (ledger, size) => ledger.engine.listTransactions(middleOf(column, size), BARE),
      ],
    ]),
  ),
};

/** Measures everything on a ledger of `size` transactions, each time with a cold memory. */
async function measureAll(size: number): Promise<Map<string, Rows>> {
  // An object that holds no ledger of the server's: the engine runs on its storage here.
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

/** How many more rows a search by halves reads in the larger ledger. */
const SEARCH_ROWS = 20;

describe("the rows that are billed", () => {
  let small: Map<string, Rows>;
  let large: Map<string, Rows>;
  beforeAll(async () => {
    [small, large] = [await measureAll(100), await measureAll(5000)];
  }, 60_000);

  test("are at most four written for a transaction of one posting between known accounts", () => {
    expect(large.get("a transaction")?.written).toBeLessThanOrEqual(4);
    expect(large.get("a bulk of a hundred")?.written).toBeLessThanOrEqual(400);
  });

  test.each(Object.keys(WORK))("do not grow with the ledger: %s", (name) => {
    const [few, many] = [small.get(name), large.get(name)];
    expect(many?.written).toBe(few?.written);
    expect(many?.read).toBeGreaterThan(0);
    expect(many?.read).toBeLessThanOrEqual((few?.read ?? 0) + SEARCH_ROWS);
  });

  test("are few for a page: those of its items and of what they name", () => {
    const pages = [...large].filter(([name]) => name.includes("page"));
    expect(pages.length).toBeGreaterThan(8);
    expect(pages.filter(([, { read }]) => read > 200)).toEqual([]);
  });
});
