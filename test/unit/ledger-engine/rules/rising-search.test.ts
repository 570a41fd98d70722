import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lastNotAbove, type RisingRow } from "#ledger-engine/rules/rising-search.ts";

/** Rows whose keys and values increase by the given steps. */
function rowsOf(steps: readonly (readonly [number, number])[]): RisingRow[] {
  const rows: RisingRow[] = [{ key: 0, value: 0 }];
  for (const [key, value] of steps) {
    const last = rows.at(-1) ?? { key: 0, value: 0 };
    rows.push({ key: last.key + key, value: last.value + value });
  }
  return rows;
}

/** The last row that is not above a limit, and the number of rows that the search read. */
function search(rows: readonly RisingRow[], limit: number): { row: RisingRow; looks: number } {
  const [low, high] = [rows[0], rows.at(-1)];
  if (low === undefined || high === undefined) throw new Error("there are rows");
  let looks = 0;
  const row = lastNotAbove(limit, { low, high }, (key) => {
    looks++;
    return lastBy(rows, (row) => row.key <= key);
  });
  return { row, looks };
}

/** The last row that passes. The rows increase, so passing rows come first. */
function lastBy(rows: readonly RisingRow[], passes: (row: RisingRow) => boolean): RisingRow {
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const row = rows[middle];
    if (row !== undefined && passes(row)) low = middle;
    else high = middle - 1;
  }
  const row = rows[low];
  if (row === undefined) throw new Error("there are rows");
  return row;
}

describe("the search in rows that increase", () => {
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.constant(1) },
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 1, max: 1_000_000 }),
  );

  test("the search in rising rows finds the last row that is not above a limit, whatever the gaps", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(step, step), { minLength: 1, maxLength: 200 }),
        fc.nat(),
        (steps, random) => {
          const rows = rowsOf(steps);
          const last = rows.at(-1) ?? { key: 0, value: 0 };
          const limit = random % last.value;
          const { row, looks } = search(rows, limit);
          expect(row).toEqual(lastBy(rows, ({ value }) => value <= limit));
          expect(looks).toBeLessThanOrEqual(4 * Math.ceil(Math.log2(last.key + 1)) + 4);
        },
      ),
    );
  });

  test("the search in rising rows takes one look where no value is left out behind the row", () => {
    const rows = rowsOf(Array.from({ length: 1000 }, (_, index) => [1, index === 300 ? 1e6 : 1]));
    expect(search(rows, 1e6 + 500)).toMatchObject({ row: { key: 501 }, looks: 1 });
  });

  test("the search in rising rows takes two looks where values are left out on the other side of an end near it only", () => {
    const rows = rowsOf(Array.from({ length: 1000 }, (_, index) => [1, index > 600 ? 2 : 1]));
    expect(search(rows, 300).looks).toBeLessThanOrEqual(2);
  });

  test("the search in rising rows takes few looks where a million values in a row have no rows", () => {
    const rows = rowsOf(
      Array.from({ length: 20_000 }, (_, index) => [1, index % 5000 === 0 ? 1e6 : 1]),
    );
    for (let limit = 0; limit < 4e6; limit += 99_991) {
      expect(search(rows, limit).looks).toBeLessThan(60);
    }
  });

  test("the search in rising rows takes few looks where every third value has no row", () => {
    const rows = rowsOf(Array.from({ length: 20_000 }, (_, index) => [1, 1 + (index % 2)]));
    for (let limit = 0; limit < 30_000; limit += 997) {
      expect(search(rows, limit).looks).toBeLessThan(6);
    }
  });

  test("the search in rising rows takes few looks near 2^53, and before the first row", () => {
    const size = fc.nat(52).map((bits) => 2 ** bits);
    const property = fc.property(
      fc.array(fc.tuple(size, size), { minLength: 1, maxLength: 60 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 }),
      (steps, parts) => {
        const before = { key: -1, value: -1 };
        const rows = [before];
        for (const [key, value] of steps) {
          const last = rows.at(-1) ?? before;
          const row = { key: last.key + key, value: last.value + value };
          if (Math.max(row.key, row.value) <= Number.MAX_SAFE_INTEGER) rows.push(row);
        }
        const values = rows.map(({ value }) => value);
        const last = values.at(-1) ?? 0;
        const limits = parts.map((part) => Math.floor(part * (last + 1)) - 1);
        for (const limit of [...limits, ...values, ...values.map((value) => value - 1)]) {
          if (limit < -1 || limit >= last) continue;
          const { row, looks } = search(rows, limit);
          expect(row).toEqual(lastBy(rows, ({ value }) => value <= limit));
          // At least one of four looks halves the remaining part of 53 bits.
          expect(looks).toBeLessThanOrEqual(4 * (53 + 1));
        }
      },
    );
    fc.assert(property);
  });
});
