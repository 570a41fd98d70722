import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BalanceHistoryQuery } from "#ledger-engine/rules/reads.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { formatTimestamp, fromMicros, toMicros } from "#platform/time.ts";
import {
  at,
  create,
  posting,
  refusalOf,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const HOUR = 3_600_000_000n;

const history = (ledger: TestLedger, query: Partial<BalanceHistoryQuery> = {}) =>
  ledger.engine.reads.balanceHistory({
    account: "a",
    asset: "USD",
    startTime: at("09:00"),
    endTime: at("14:00"),
    interval: HOUR,
    insertionDate: false,
    ...query,
  });
/** The intervals of a history as `input/output=balance`. */
const lines = (ledger: TestLedger, query: Partial<BalanceHistoryQuery> = {}): string[] =>
  history(ledger, query).map(({ input, output, balance }) => `${input}/${output}=${balance}`);

/** A ledger that is written at 12:00: two transactions are dated before, one has no date, and one is dated later. */
function datedLedger(options: ConstructorParameters<typeof TestLedger>[0] = {}): TestLedger {
  const ledger = new TestLedger({ now: at("12:00"), ...options });
  ledger.commit(create(posting("world -> a", 100), { timestamp: at("11:30") }));
  ledger.commit(create(posting("world -> a", 7)));
  ledger.commit(create(posting("a -> b", 30), { timestamp: at("13:30"), force: true }));
  ledger.commit(create(posting("a -> b", 20), { timestamp: at("10:00"), force: true }));
  return ledger;
}

describe("the balance of an account over time", () => {
  test("a balance over time goes by effective dates; an interval includes its start and not its end", () => {
    const ledger = datedLedger();
    expect(lines(ledger)).toEqual(["0/0=0", "0/20=-20", "100/0=80", "7/0=87", "0/30=57"]);
    expect(history(ledger)[1]).toEqual({
      startTime: at("10:00"),
      endTime: at("11:00"),
      input: 0n,
      output: 20n,
      balance: -20n,
    });
    const justAfter = fromMicros(toMicros(at("10:00")) + 1n);
    expect(lines(ledger, { startTime: at("09:00"), endTime: justAfter, interval: HOUR })).toEqual([
      "0/0=0",
      "0/20=-20",
    ]);
  });

  test("a balance over time goes by dates of insertion where it is asked to", () => {
    expect(lines(datedLedger(), { insertionDate: true })).toEqual([
      "0/0=0",
      "0/0=0",
      "0/0=0",
      "107/50=57",
      "0/0=57",
    ]);
  });

  test("a balance over time includes what was before the period in its balance, and in no interval", () => {
    const ledger = datedLedger();
    expect(lines(ledger, { startTime: at("11:00"), endTime: at("13:00") })).toEqual([
      "100/0=80",
      "7/0=87",
    ]);
    expect(
      lines(ledger, { startTime: at("2030-01-01T00:00:00Z"), endTime: at("2030-01-01T01:00:00Z") }),
    ).toEqual(["0/0=57"]);
  });

  test("a balance over time goes by the calendar, thirty intervals back without a start", () => {
    const intervals = history(datedLedger(), {
      startTime: undefined,
      endTime: at("12:30"),
      interval: "month",
    });
    expect(intervals).toHaveLength(30);
    expect(intervals.at(-1)).toMatchObject({
      startTime: at("2026-03-01T00:00:00Z"),
      endTime: at("12:30"),
      balance: 87n,
    });
  });

  test("a balance over time up to now includes all that was recorded, whatever the clock of the caller says", () => {
    const ledger = datedLedger();
    const now = { endTime: at("11:45"), interval: "hour", startTime: at("11:00") } as const;
    expect(lines(ledger, now)).toEqual(["100/0=80"]);
    const intervals = history(ledger, { ...now, endsNow: true });
    expect(intervals.map(({ endTime }) => formatTimestamp(endTime))).toEqual([
      "2026-03-01T12:00:00Z",
      "2026-03-01T12:00:04.000001Z",
    ]);
    // Transactions that are dated in the future do not count yet.
    expect(intervals.at(-1)?.balance).toBe(87n);
    const later = history(ledger, { ...now, endTime: at("12:30"), endsNow: true });
    expect(later.at(-1)?.endTime).toBe(at("12:30"));
  });

  test("a balance over time is exact beyond all integers of the machine, and knows an account that pays itself", () => {
    const ledger = new TestLedger();
    const huge = 10n ** 40n;
    ledger.commit(create([posting("world -> a", huge), posting("a -> a", 3)]));
    const [interval] = history(ledger, { startTime: at("10:00"), endTime: at("11:00") });
    expect(interval).toMatchObject({ input: huge + 3n, output: 3n, balance: huge });
    const [world] = history(ledger, {
      account: "world",
      startTime: at("10:00"),
      endTime: at("11:00"),
    });
    expect(world?.balance).toBe(-huge);
  });

  test("a balance over time is found for an asset that the account moved, even if the amount was zero", () => {
    const ledger = datedLedger();
    ledger.commit(create(posting("world -> c", 0, "EUR")));
    expect(lines(ledger, { account: "c", asset: "EUR", startTime: at("13:00") })).toEqual([
      "0/0=0",
    ]);
    for (const query of [
      { account: "nobody" },
      { asset: "EUR" },
      { asset: "XXX" },
      { account: "" },
    ]) {
      expect(refusalOf(() => history(ledger, query))).toBe("NOT_FOUND");
    }
  });

  test("a balance over time is refused for a bad period, and where the ledger does not keep it", () => {
    const ledger = datedLedger();
    const refusals = [{ endTime: at("09:00") }, { interval: 1n }, { startTime: at("20:00") }];
    for (const query of refusals)
      expect(refusalOf(() => history(ledger, query))).toBe("VALIDATION");
    const without = datedLedger({ features: { MOVES_HISTORY: "OFF" } });
    for (const insertionDate of [true, false]) {
      expect(refusalOf(() => history(without, { insertionDate }))).toBe("VALIDATION");
    }
    const features = { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" } as const;
    const inOrder = datedLedger({ features });
    expect(() => history(inOrder)).toThrow("insertionDate=true");
    expect(lines(inOrder, { insertionDate: true }).at(-1)).toBe("0/0=57");
  });

  test("a balance over time is the sum of what moved, for any history of the account", () => {
    const minute = fc.integer({ min: 0, max: 300 });
    const step = fc.record({
      way: fc.constantFrom("world -> a", "a -> b", "b -> a", "a -> a", "world -> b"),
      amount: fc.bigInt(0n, 10n ** 18n),
      minute: fc.option(minute, { nil: undefined }),
    });
    const momentOf = (minutes: number) =>
      fromMicros(toMicros(at("09:00")) + BigInt(minutes) * 60_000_000n);
    const histories = fc.array(step, { minLength: 1, maxLength: 30 });
    const parts = fc.record({
      count: fc.integer({ min: 1, max: 40 }),
      insertionDate: fc.boolean(),
    });
    fc.assert(
      fc.property(histories, parts, (steps, { count, insertionDate }) => {
        const ledger = new TestLedger({ now: at("11:00") });
        ledger.commit(create(posting("world -> a", 1)));
        for (const { way, amount, minute: minutes } of steps) {
          const dated = minutes === undefined ? {} : { timestamp: momentOf(minutes) };
          ledger.commit(create(posting(way, amount), { force: true, ...dated }));
        }
        const [startTime, endTime] = [at("10:00"), at("13:00")];
        const interval = (3n * HOUR) / BigInt(count);
        const found = history(ledger, { startTime, endTime, interval, insertionDate });
        const moves = ledger.transactions().map((transaction) => ({
          date: insertionDate ? transaction.insertedAt : transaction.timestamp,
          postings: transaction.postings,
        }));
        for (const { startTime: from, endTime: to, input, output, balance } of found) {
          let [received, sent, sum] = [0n, 0n, 0n];
          for (const { date, postings } of moves) {
            for (const { source, destination, amount } of postings) {
              const [plus, minus] = [
                destination === "a" ? amount : 0n,
                source === "a" ? amount : 0n,
              ];
              if (date < to) sum += plus - minus;
              if (date < from || date >= to) continue;
              received += plus;
              sent += minus;
            }
          }
          expect([input, output, balance]).toEqual([received, sent, sum]);
        }
      }),
      { numRuns: runsOf(200) },
    );
  });
});

test("the work depends on the number of intervals, not of moves, and is less where nothing moved", () => {
  const counting = new CountingSql();
  const ledger = new TestLedger({ sql: counting, now: at("2026-01-01T00:00:00Z") });
  for (let count = 0; count < 2000; count++) {
    ledger.now = fromMicros(toMicros(ledger.now) + 60_000_000n);
    ledger.commit(create(posting("world -> a", 1)));
  }
  const countOf = (query: Partial<BalanceHistoryQuery>): number => {
    counting.statements = 0;
    history(ledger, query);
    return counting.statements;
  };
  const [startTime, endTime] = [at("2026-01-01T00:00:00Z"), at("2026-01-02T09:00:00Z")];
  const busy = countOf({
    startTime,
    endTime,
    interval: (endTime > startTime ? 33n * HOUR : 0n) / 1000n,
  });
  // Each boundary of an interval takes a search for its transaction and a search for its volumes.
  expect(busy).toBeLessThan(1001 * 20);
  const quiet = countOf({
    startTime: at("2030-01-01T00:00:00Z"),
    endTime: at("2030-02-01T00:00:00Z"),
    interval: HOUR,
  });
  expect(quiet).toBeLessThan(60);
});

class CountingSql implements Sql {
  statements = 0;
  readonly #sql = new NodeSql();

  readonly all: Sql["all"] = (statement, ...bindings) => {
    this.statements++;
    return this.#sql.all(statement, ...bindings);
  };

  readonly transaction: Sql["transaction"] = (work) => this.#sql.transaction(work);
}
