import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SubtreeQuery, SubtreeSum } from "#ledger-engine/rules/reads.ts";
import type { Timestamp } from "#platform/time.ts";
import { fromMicros, toMicros } from "#platform/time.ts";
import {
  at,
  create,
  posting,
  refusalOf,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const call = (
  ledger: TestLedger,
  address: string,
  {
    steps = 1,
    nowMs = 0,
    ...query
  }: Partial<SubtreeQuery> & Partial<Record<"steps" | "nowMs", number>> = {},
): SubtreeSum =>
  ledger.engine.reads.subtreeSum({ address, insertionDate: false, ...query }, { steps, nowMs });
const texts = ({ balances }: SubtreeSum): string[] =>
  balances.map(({ asset, balance }) => `${asset} ${balance}`);
const whole = (ledger: TestLedger, address: string, query: Partial<SubtreeQuery> = {}): string[] =>
  texts(call(ledger, address, { steps: 10_000, ...query }));

/** Pays 1 to each of many accounts. */
function crowd(ledger: TestLedger, prefix: string, count: number): void {
  const postings = Array.from({ length: count }, (_, index) =>
    posting(`world -> ${prefix}:${index}`, 1),
  );
  for (let from = 0; from < count; from += 500) {
    ledger.commit(create(postings.slice(from, from + 500)));
  }
}

/** A ledger whose accounts below `users` and below `shops` take several steps each. */
function largeLedger(): TestLedger {
  const ledger = new TestLedger();
  crowd(ledger, "users:1", 900);
  crowd(ledger, "users:2", 900);
  crowd(ledger, "shops", 2000);
  return ledger;
}

describe("the sum of the balances at and below an address", () => {
  test("a sum has the account itself and all accounts below it, and no others, exactly", () => {
    const ledger = new TestLedger();
    const huge = 10n ** 40n;
    ledger.commit(create([posting("world -> a", huge), posting("world -> a:b:c", huge, "EUR")]));
    ledger.commit(
      create([posting("world -> a:b", 5), posting("world -> a-b", 7), posting("world -> ab", 9)]),
    );
    ledger.commit(create(posting("a:b -> a:b:c", 5)));
    expect(whole(ledger, "a")).toEqual([`EUR ${huge}`, `USD ${huge + 5n}`]);
    expect(whole(ledger, "a:b")).toEqual([`EUR ${huge}`, "USD 5"]);
    expect(whole(ledger, "a-b")).toEqual(["USD 7"]);
    expect(whole(ledger, "nobody")).toEqual([]);
    expect(whole(ledger, "world")).toEqual([`EUR ${-huge}`, `USD ${-huge - 21n}`]);
    ledger.commit(create(posting("a-b -> world", 7)));
    expect(whole(ledger, "a-b")).toEqual(["USD 0"]);
  });

  test("a sum of many accounts takes several calls, and says how far it is", () => {
    const ledger = largeLedger();
    const seen = new Set<string>();
    for (let calls = 1; ; calls++) {
      const sum = call(ledger, "users");
      if (sum.isComplete) {
        expect(sum).toMatchObject({ balances: [{ asset: "USD", balance: 1800n }] });
        expect(sum.progress).toBeUndefined();
        expect(calls).toBeGreaterThan(4);
        break;
      }
      if (sum.progress !== undefined) {
        const { accounts, total } = sum.progress;
        expect(total).toBe(1800);
        expect(texts(sum)).toEqual(accounts === 0 ? [] : [`USD ${accounts}`]);
        seen.add(`${accounts}`);
      }
    }
    expect(seen.size).toBeGreaterThan(3);
  });

  test("a complete sum of many accounts costs nothing more, and follows what is written", () => {
    const ledger = largeLedger();
    call(ledger, "users");
    // Writes between two calls are part of the result, also those to accounts that are new.
    ledger.commit(
      create([posting("world -> users:1:5", 10), posting("world -> users:3:new", 100)]),
    );
    ledger.commit(create(posting("world -> shops:1", 1000)));
    expect(whole(ledger, "users")).toEqual(["USD 1910"]);
    ledger.commit(
      create([posting("users:1:5 -> shops:2", 4), posting("world -> users:4", 3, "EUR")]),
    );
    const sum = call(ledger, "users");
    expect(texts(sum)).toEqual(["EUR 3", "USD 1906"]);
    expect(sum.stepsDone).toBe(0);
    // Aggregated balances find it, too.
    const where = JSON.stringify({ $match: { address: "users:..." } });
    expect(ledger.engine.reads.aggregateBalances({ where, useInsertionDate: false })).toEqual(
      sum.balances,
    );
  });

  test("a sum that is asked for again costs nothing until something is written", () => {
    const ledger = largeLedger();
    ledger.commit(create(posting("world -> few:1", 2)));
    const past = { pit: ledger.now, insertionDate: true };
    for (const [address, query] of [
      ["few", {}],
      ["shops", past],
    ] as const) {
      const first = whole(ledger, address, query);
      const again = call(ledger, address, query);
      expect(again).toMatchObject({ isComplete: true, stepsDone: 0 });
      expect(texts(again)).toEqual(first);
    }
    ledger.commit(create([posting("world -> few:2", 3), posting("world -> shops:9", 3)]));
    expect(whole(ledger, "few")).toEqual(["USD 5"]);
    expect(call(ledger, "shops", past)).toMatchObject({ isComplete: true, stepsDone: 0 });
  });

  test("a sum that nobody asked for during a while begins again, as does one after a clock that steps back", () => {
    const ledger = largeLedger();
    for (const laterMs of [31_000, -31_000]) {
      ledger.open();
      for (let calls = 0; calls < 4; calls++) call(ledger, "users", { nowMs: 100_000 });
      expect(call(ledger, "users", { nowMs: 129_000 }).progress?.accounts).toBeGreaterThan(0);
      expect(call(ledger, "users", { nowMs: 129_000 + laterMs }).progress?.accounts ?? 0).toBe(0);
    }
  });

  test("a sum by effective date begins again if a transaction is written that counts for it, and not for others", () => {
    const ledger = largeLedger();
    const pit = ledger.now;
    for (let calls = 0; calls < 4; calls++) call(ledger, "users", { pit });
    const before = call(ledger, "users", { pit }).progress?.accounts ?? 0;
    expect(before).toBeGreaterThan(0);
    ledger.commit(create(posting("world -> users:1:0", 50)));
    expect(call(ledger, "users", { pit }).progress?.accounts).toBeGreaterThan(before);
    ledger.commit(create(posting("world -> users:1:0", 7), { timestamp: pit }));
    expect(call(ledger, "users", { pit }).progress?.accounts ?? 0).toBe(0);
    expect(whole(ledger, "users", { pit })).toEqual(["USD 1807"]);
    ledger.commit(create(posting("world -> users:1:0", 8), { timestamp: pit }));
    expect(whole(ledger, "users", { pit })).toEqual(["USD 1815"]);
  });

  test("a sum is refused for a text that is no address, and for a date of which the ledger keeps no balances", () => {
    const ledger = new TestLedger();
    for (const address of ["\u0000", "a\uD800", "x".repeat(8193)]) {
      expect(refusalOf(() => call(ledger, address))).toBe("VALIDATION");
    }
    const without = new TestLedger({ features: { MOVES_HISTORY: "OFF" } });
    without.commit(create(posting("world -> a", 1)));
    expect(whole(without, "a")).toEqual(["USD 1"]);
    const pit = at("11:00");
    for (const insertionDate of [true, false]) {
      expect(refusalOf(() => call(without, "a", { pit, insertionDate }))).toBe("VALIDATION");
    }
    const features = { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" } as const;
    const inOrder = new TestLedger({ features });
    inOrder.commit(create(posting("world -> a", 1)));
    expect(refusalOf(() => call(inOrder, "a", { pit }))).toBe("VALIDATION");
    expect(whole(inOrder, "a", { pit, insertionDate: true })).toEqual(["USD 1"]);
  });
});

/** A posting of a random history, with the minutes before now at which it is dated, and the address whose sum is continued after it. */
const step = fc.record({
  way: fc.constantFrom(
    "world -> a:1",
    "a:1 -> a:2",
    "a:2 -> b",
    "world -> a",
    "b -> a-1",
    "a -> b:1:x",
    "world -> b:1",
  ),
  amount: fc.oneof(fc.bigInt(0n, 9n), fc.bigInt(0n, 10n ** 20n)),
  asset: fc.constantFrom("USD", "USD", "EUR"),
  minutes: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
});
const query = fc.record({
  address: fc.constantFrom("a", "b", "a:1", "b:1", "world", "a-1"),
  minutes: fc.option(fc.integer({ min: 0, max: 120 }), { nil: undefined }),
  insertionDate: fc.boolean(),
});

test("a sum equals that of a naive reader, for any history and any writes between the calls", () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.array(step, { maxLength: 6 }),
      fc.array(query, { minLength: 1, maxLength: 4 }),
      (steps, later, queries) => {
        const ledger = new TestLedger({ now: at("12:00") });
        const ago = (minutes: number): Timestamp =>
          fromMicros(toMicros(at("12:00")) - BigInt(minutes) * 60_000_000n);
        const commit = ({ way, amount, asset, minutes }: (typeof steps)[number]) =>
          ledger.commit(
            create(posting(way, amount, asset), {
              force: true,
              ...(minutes === undefined ? {} : { timestamp: ago(minutes) }),
            }),
          );
        steps.forEach(commit);
        const naive = (
          address: string,
          pit: Timestamp | undefined,
          insertionDate: boolean,
        ): string[] => {
          const sums = new Map<string, bigint>();
          const isIn = (account: string) =>
            account === address || account.startsWith(`${address}:`);
          for (const { timestamp, insertedAt, postings } of ledger.transactions()) {
            if (pit !== undefined && (insertionDate ? insertedAt : timestamp) > pit) continue;
            for (const { source, destination, amount, asset } of postings) {
              if (isIn(source)) sums.set(asset, (sums.get(asset) ?? 0n) - amount);
              if (isIn(destination)) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
            }
          }
          return [...sums].map(([asset, sum]) => `${asset} ${sum}`).toSorted();
        };
        for (const next of [undefined, ...later]) {
          if (next !== undefined) commit(next);
          for (const { address, minutes, insertionDate } of queries) {
            const pit = minutes === undefined ? undefined : ago(minutes - 10);
            expect(whole(ledger, address, { pit, insertionDate })).toEqual(
              naive(address, pit, insertionDate),
            );
          }
        }
      },
    ),
    { numRuns: runsOf(50) },
  );
});
