import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RecentDates } from "#ledger-engine/storage/log/recent-dates.ts";
import { fromMicros, type Timestamp } from "#platform/time.ts";

interface Inserted {
  readonly id: number;
  readonly date: Timestamp;
}

/** Transactions whose ids and dates rise by the given steps, with gaps and with equal dates. */
function insertions(steps: readonly (readonly [number, number])[]): Inserted[] {
  let [id, micros] = [0, 0];
  return steps.map(([ids, later]) => {
    id += ids;
    micros += later;
    return { id, date: fromMicros(micros) };
  });
}

const lastBy = (all: readonly Inserted[], date: Timestamp): number | undefined =>
  all.findLast((it) => it.date <= date)?.id;

test("the last transaction of a date is found, and none where the date is before all of them", () => {
  const step = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 2 }));
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: -1, max: 30 }), (steps, micros) => {
      const dates = new RecentDates();
      const all = insertions(steps);
      for (const { id, date } of all) dates.add(id, date);
      expect(dates.lastAt(fromMicros(micros))).toBe(lastBy(all, fromMicros(micros)));
      dates.clear();
      expect(dates.lastAt(fromMicros(micros))).toBeUndefined();
    }),
  );
});

test("dates are kept within a limit: the last ones are found, and nothing is said of those before", () => {
  const dates = new RecentDates();
  const all = insertions(Array.from({ length: 20_000 }, () => [1, 10]));
  for (const { id, date } of all) dates.add(id, date);
  const found = all.map(({ date }) => dates.lastAt(date));
  const first = found.findIndex((id) => id !== undefined);
  expect(first).toBeGreaterThan(10_000);
  expect(first).toBeLessThan(16_000);
  expect(found.slice(first)).toEqual(all.slice(first).map(({ id }) => id));
  expect(dates.lastAt(fromMicros(1_000_000))).toBe(20_000);
});
