import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RowRanks } from "#ledger-engine/read/logs/row-ranks.ts";
import { toEnd } from "#ledger-engine/read/scan/steps.ts";
import type { LedgerActivity, ActivityQuery } from "#ledger-engine/rules/reads.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { formatTimestamp, fromMicros, toMicros } from "#platform/time.ts";
import {
  at,
  create,
  element,
  posting,
  refusalOf,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const activity = (ledger: TestLedger, query: Partial<ActivityQuery> = {}): LedgerActivity =>
  ledger.engine.reads.activity({
    startTime: at("09:00"),
    endTime: at("14:00"),
    interval: "hour",
    ...query,
  });
/** The intervals of an activity as `transactions/entries`. */
const lines = (ledger: TestLedger, query: Partial<ActivityQuery> = {}): string[] =>
  activity(ledger, query).intervals.map(
    ({ transactions, entries }) => `${transactions}/${entries}`,
  );

describe("the activity of a ledger over time", () => {
  test("an activity counts transactions and entries by date of insertion, without those that were not kept", () => {
    const ledger = new TestLedger({ now: at("09:59:58") });
    expect(activity(ledger)).toMatchObject({ firstEntryAt: undefined, lastEntryAt: undefined });
    expect(lines(ledger)).toEqual(["0/0", "0/0", "0/0", "0/0", "0/0"]);
    ledger.commit(create(posting("world -> a", 1)));
    ledger.commit(create(posting("world -> a", 1), { timestamp: at("12:30") }));
    ledger.run(create(posting("world -> a", 1)), { dryRun: true });
    ledger.bulk([element(create(posting("world -> a", 1))), create(posting("a -> b", 100))], {
      atomic: true,
    });
    ledger.run(setMetadata("a", { k: "v" }));
    ledger.now = at("12:00");
    ledger.run(setMetadata("a", { k: "w" }));
    ledger.commit(create(posting("world -> a", 1)));
    expect(lines(ledger)).toEqual(["1/1", "1/2", "0/0", "1/2", "0/0"]);
    const { firstEntryAt, lastEntryAt } = activity(ledger);
    expect([firstEntryAt, lastEntryAt]).toEqual([at("09:59:59"), at("12:00:02")]);
    expect(
      activity(ledger, {
        startTime: at("2030-01-01T00:00:00Z"),
        endTime: at("2030-01-01T01:00:00Z"),
      }),
    ).toMatchObject({
      firstEntryAt,
      lastEntryAt,
      intervals: [{ transactions: 0, entries: 0 }],
    });
  });

  test("an interval of an activity includes its start and not its end", () => {
    const ledger = new TestLedger({ now: at("09:59:59") });
    ledger.commit(create(posting("world -> a", 1)));
    expect(lines(ledger)).toEqual(["0/0", "1/1", "0/0", "0/0", "0/0"]);
    expect(lines(ledger, { endTime: at("10:00") })).toEqual(["0/0"]);
  });

  test("an activity up to now includes all that was recorded, whatever the clock of the caller says", () => {
    const ledger = new TestLedger({ now: at("12:00") });
    ledger.commit(create(posting("world -> a", 1)));
    const { intervals } = activity(ledger, {
      startTime: at("11:00"),
      endTime: at("11:30"),
      endsNow: true,
    });
    expect(intervals.map(({ endTime }) => formatTimestamp(endTime))).toEqual([
      "2026-03-01T12:00:00Z",
      "2026-03-01T12:00:01.000001Z",
    ]);
    expect(intervals.at(-1)?.transactions).toBe(1);
  });

  test("an activity is refused for a bad period", () => {
    const ledger = new TestLedger();
    for (const query of [{ endTime: at("09:00") }, { interval: 1n }, { startTime: at("20:00") }]) {
      expect(refusalOf(() => activity(ledger, query))).toBe("VALIDATION");
    }
  });

  test("an activity equals a count of all transactions, for any dates and any questions between the writes", () => {
    const waits = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 40 });
    const parts = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(waits, parts, fc.boolean(), (seconds, count, isAsked) => {
        const ledger = new TestLedger({ now: at("10:00") });
        const check = () => {
          const interval = (5n * 3_600_000_000n) / BigInt(count);
          const all = ledger.transactions();
          for (const { startTime, endTime, transactions } of activity(ledger, { interval })
            .intervals) {
            const within = all.filter(
              (it) => it.insertedAt >= startTime && it.insertedAt < endTime,
            );
            expect(transactions).toBe(within.length);
          }
        };
        for (const wait of seconds) {
          ledger.now = fromMicros(toMicros(ledger.now) + BigInt(wait) * 1_000_000n);
          ledger.run(create(posting("world -> a", 1)), { dryRun: wait % 3 === 0 });
          if (isAsked) check();
        }
        check();
      }),
      { numRuns: runsOf(60) },
    );
  });
});

test("the rank of an id counts the rows before it, wherever ids are missing, and while rows are added", () => {
  const gap = fc.oneof(
    { weight: 300, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 5000 }) },
  );
  fc.assert(
    fc.property(
      fc.array(gap, { minLength: 1, maxLength: 6000, size: "max" }),
      fc.array(fc.double({ min: -0.1, max: 1.1, noNaN: true }), { maxLength: 20 }),
      (gaps, asked) => {
        const sql = new NodeSql();
        sql.all("CREATE TABLE tx (id INTEGER PRIMARY KEY)");
        const ids: number[] = [];
        for (const it of gaps) ids.push((ids.at(-1) ?? -1) + it);
        const add = (some: readonly number[]) =>
          sql.all("INSERT INTO tx SELECT value FROM json_each(?)", JSON.stringify(some));
        const half = Math.floor(ids.length / 2);
        add(ids.slice(0, half));
        const ranks = new RowRanks(sql, "tx");
        const rankOf = (id: number): number => {
          toEnd(ranks.extendTo(id));
          return ranks.of(id);
        };
        const zero = rankOf(-1);
        const check = (known: readonly number[]) => {
          for (const share of asked) {
            const id = Math.floor(share * ((known.at(-1) ?? 0) + 1));
            expect(rankOf(id) - zero).toBe(known.filter((it) => it <= id).length);
          }
        };
        check(ids.slice(0, half));
        add(ids.slice(half));
        check(ids);
      },
    ),
    { numRuns: 25 },
  );
});
