import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BalancesQuery } from "#ledger-engine/rules/reads.ts";
import type { Transaction } from "#ledger-engine/rules/types.ts";
import { present } from "#platform/assert.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";
import { create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** Bits at which the form of a stored amount changes, a half that SQL sums overflows, or an integer of SQL overflows. */
const EDGES = [31n, 32n, 33n, 52n, 53n, 62n, 63n, 64n, 65n, 100n];

const amount = fc.oneof(
  fc.constantFrom(0n, 1n, 10n ** 30n),
  fc
    .tuple(fc.constantFrom(...EDGES), fc.bigInt({ min: -2n, max: 2n }))
    .map(([bits, more]) => 2n ** bits + more),
);

const ACCOUNTS = ["a", "a:1", "a:1:x", "a:2", "a:2:x", "b", "b:1"];
const ASSETS = ["A", "B", "C", "D", "E", "F"];

const step = fc.record({
  source: fc.constantFrom(...ACCOUNTS),
  destination: fc.constantFrom(...ACCOUNTS),
  asset: fc.nat(ASSETS.length - 1),
  amount,
  /** The effective date, in seconds from now. */
  date: fc.option(fc.integer({ min: -4, max: 2 }), { nil: undefined, freq: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const later = (date: Timestamp, seconds: number): Timestamp =>
  fromMicros(toMicros(date) + BigInt(seconds) * 1_000_000n);

function make(ledger: TestLedger, steps: readonly Step[], assets: number): Transaction[] {
  return steps.map(({ source, destination, asset, amount: moved, date }) => {
    ledger.now = later(ledger.now, 1);
    const { transaction } = ledger.engine.execute(
      create(posting(`${source} -> ${destination}`, moved, ASSETS[asset % assets]), {
        force: true,
        metadata: {},
        ...(date === undefined ? {} : { timestamp: later(ledger.now, date) }),
        accountMetadata: { [source]: { kind: "source" } },
      }),
      { idempotencyKey: "", dryRun: false },
    );
    return present(transaction, "it makes a transaction");
  });
}

/** Filters, each with a function that tells which accounts match. */
const FILTERS: readonly [where: object, matches: (account: string, made: Made) => boolean][] = [
  [{ $match: { address: "a:..." } }, (account) => account.startsWith("a")],
  [{ $match: { address: "a:" } }, (account) => /^a:.$/.test(account)],
  [{ $match: { address: "::x" } }, (account) => account.endsWith(":x")],
  [{ $not: { $match: { address: "a" } } }, (account) => account !== "a"],
  [{ $not: { $like: { address: "a:%" } } }, (account) => !account.startsWith("a:")],
  [
    { $and: [{ $match: { address: "a:..." } }, { $not: { $match: { address: "a:1:..." } } }] },
    (account) => account.startsWith("a") && !account.startsWith("a:1"),
  ],
  [
    { $or: [{ $not: { $match: { address: "b:..." } } }, { $match: { address: "b:1" } }] },
    (account) => account !== "b",
  ],
  [{ $in: { address: ["a:1", "b"] } }, (account) => account === "a:1" || account === "b"],
  [
    { $match: { "metadata[kind]": "source" } },
    (account, made) => made.some(({ postings }) => postings.some((it) => it.source === account)),
  ],
];
type Made = readonly Transaction[];

/** The sums as `asset balance`, added up from the postings of all transactions. */
function expectedSums(made: Made, isMatch: (account: string) => boolean): string[] {
  const sums = new Map<string, bigint>();
  const add = (account: string, asset: string, moved: bigint): void => {
    if (isMatch(account)) sums.set(asset, (sums.get(asset) ?? 0n) + moved);
  };
  for (const { source, destination, asset, amount: moved } of made.flatMap((it) => it.postings)) {
    add(source, asset, -moved);
    add(destination, asset, moved);
  }
  return [...sums].map(([asset, sum]) => `${asset} ${sum}`).toSorted();
}

/** The sums read at once. Sums that are read in steps are asserted to be equal. */
function readSums({ engine: { reads } }: TestLedger, query: BalancesQuery): string[] {
  const steps = reads.inSteps.aggregateBalances(query);
  let next = steps.next();
  while (next.done !== true) next = steps.next();
  const sums = reads.aggregateBalances(query);
  expect(next.value).toEqual(sums);
  return sums.map(({ asset, balance }) => `${asset} ${balance}`);
}

test("aggregated balances are exact, whatever the sizes of amounts and sums, at any date", () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 25, size: "max" }),
      fc.integer({ min: 1, max: ASSETS.length }),
      fc.integer({ min: -5, max: 30 }),
      (steps, assets, second) => {
        const ledger = new TestLedger();
        const date = later(ledger.now, second);
        const made = make(ledger, steps, assets);
        for (const [where, matches] of FILTERS) {
          const query = { where: stringifyJson(where) };
          const isMatch = (counted: Made) => (account: string) => matches(account, counted);
          expect(readSums(ledger, { ...query, useInsertionDate: false })).toEqual(
            expectedSums(made, isMatch(made)),
          );
          // At a point in time, accounts have their metadata of that time.
          const inserted = made.filter(({ insertedAt }) => insertedAt <= date);
          expect(readSums(ledger, { ...query, pit: date, useInsertionDate: true })).toEqual(
            expectedSums(inserted, isMatch(inserted)),
          );
          const dated = made.filter(({ timestamp }) => timestamp <= date);
          expect(readSums(ledger, { ...query, pit: date, useInsertionDate: false })).toEqual(
            expectedSums(dated, isMatch(inserted)),
          );
        }
      },
    ),
    { numRuns: runsOf(150) },
  );
});

test("the sums of many accounts with the largest amounts of 64 bits are exact", () => {
  const ledger = new TestLedger();
  const most = 2n ** 63n - 1n;
  const postings = Array.from({ length: 1200 }, (_, index) =>
    posting(`debt:${index} -> credit:${index}`, most),
  );
  for (let from = 0; from < postings.length; from += 100) {
    ledger.commit(create(postings.slice(from, from + 100), { force: true }));
  }
  const read = (address: string): string[] =>
    readSums(ledger, { where: stringifyJson({ $match: { address } }), useInsertionDate: false });
  expect(read("credit:")).toEqual([`USD ${1200n * most}`]);
  expect(read("debt:...")).toEqual([`USD ${-1200n * most}`]);
});
