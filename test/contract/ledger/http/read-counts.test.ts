import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { readCases } from "#bench/reads/cases.ts";
import { fillLedger } from "#bench/reads/fill.ts";
import { objectOf } from "#test/support/ledger/api.ts";
import { CountingSql } from "#test/support/ledger/counting-sql.ts";
import { freshName } from "#test/support/platform/api.ts";

const SIZE = 16_000;
/** A small multiple of a page of fifteen: each item is some rows, and a binary search is some more. */
const PAGE_ROWS_MAX = 1000;

/** What is bounded by the number of accounts or references, because no index serves it. */
const SCANS =
  /suffix|^accounts address=:|^volumes address=:|account=:N:main|balance> rare|any balance rare|^balances address=(users|merchants):/;
/**
 * Filters that are not selective, in an order that is not that of their index: entries of the index are read, as many as
 * match, or as the pattern has accounts; and a role that an account rarely plays is searched for among its moves.
 */
const DENSE = /timestamp< first|metadata exists|=merchants:|destination=world|insertion_date> deep/;
const SCAN_ROWS_MAX = 2 * SIZE;

/** The rows that each read of a filled ledger takes, by the platform's own counters. */
async function measureAll(): Promise<ReadonlyMap<string, number>> {
  // An object that holds no ledger of the server's: the engine runs on its storage here.
  return runInDurableObject(objectOf(freshName("reads")), (_, { storage }) => {
    const sql = new CountingSql(storage);
    const ledger = fillLedger(sql, SIZE);
    return new Map(readCases(ledger).map(({ name, run }) => [name, sql.measure(run).read]));
  });
}

describe("the rows that a read takes from a ledger of 16,000 transactions", () => {
  let rows: ReadonlyMap<string, number>;
  beforeAll(async () => {
    rows = await measureAll();
  });

  const above = (max: number, isMeant: (name: string) => boolean): string[] =>
    [...rows]
      .filter(([name, count]) => isMeant(name) && count > max)
      .map(([name, count]) => `${name}: ${count}`);

  test("are few wherever an index serves it: no table is scanned", () => {
    expect([...rows].length).toBeGreaterThan(150);
    expect(above(PAGE_ROWS_MAX, (name) => !SCANS.test(name) && !DENSE.test(name))).toEqual([]);
  });

  test("are bounded where none does", () => {
    expect(above(SCAN_ROWS_MAX, (name) => SCANS.test(name) || DENSE.test(name))).toEqual([]);
  });
});
