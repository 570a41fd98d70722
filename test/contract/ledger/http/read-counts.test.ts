import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { readCases } from "#bench/reads/cases.ts";
import { fillLedger } from "#bench/reads/fill.ts";
import { objectOf } from "#test/support/ledger/api.ts";
import { CountingSql } from "#test/support/ledger/counting-sql.ts";
import { freshName } from "#test/support/platform/api.ts";

const SIZE = 16_000;
/** A bound for a page of fifteen items: each item takes some rows, and so does each binary search. */
const PAGE_ROWS_MAX = 1000;

/** Reads whose rows are bounded only by the number of accounts or references, because no index serves them. */
const SCANS =
  /suffix|^accounts address=:|^volumes address=:|account=:N:main|balance> rare|any balance rare|^balances address=(users|merchants):/;
/**
 * Filters that are not selective, on lists that are not sorted as their index. They read an index entry for each match,
 * or for each account of the pattern. A role that an account rarely plays is searched for among all its moves.
 */
const DENSE = /timestamp< first|metadata exists|=merchants:|destination=world|insertion_date> deep/;
const SCAN_ROWS_MAX = 2 * SIZE;

/** Counts the rows of each read of a filled ledger, with the platform's own counters. */
async function measureAll(): Promise<ReadonlyMap<string, number>> {
  // The object holds no ledger of the server: the test runs an engine on its storage.
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

  test("a read of a ledger of 16,000 transactions takes few rows wherever an index serves it: no table is scanned", () => {
    expect([...rows].length).toBeGreaterThan(150);
    expect(above(PAGE_ROWS_MAX, (name) => !SCANS.test(name) && !DENSE.test(name))).toEqual([]);
  });

  test("the rows that a read takes from a ledger of 16,000 transactions are bounded where no index serves it", () => {
    expect(above(SCAN_ROWS_MAX, (name) => SCANS.test(name) || DENSE.test(name))).toEqual([]);
  });
});
