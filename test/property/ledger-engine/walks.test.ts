import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Transaction } from "#ledger-engine/rules/types.ts";
import type { SortColumns } from "#platform/paging/cursor.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { fromMicros, toMicros } from "#platform/time.ts";
import {
  BARE,
  create,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { walk } from "#test/support/ledger-engine/walks.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const TRANSACTION_COLUMNS: SortColumns = {
  id: "integer",
  timestamp: "date",
  inserted_at: "date",
  updated_at: "date",
};

/** The sort key of a transaction for each column, as text that sorts like it. */
const keyOf: Record<string, (transaction: Transaction) => string> = {
  id: () => "",
  timestamp: ({ timestamp }) => timestamp,
  inserted_at: ({ insertedAt }) => insertedAt,
  updated_at: ({ updatedAt }) => updatedAt,
};

/** A change of a ledger: a transaction, a change of an earlier one, or seconds that pass. */
const happening = fc.record({
  date: fc.option(fc.integer({ min: -4, max: 6 }), { nil: undefined }),
  touched: fc.option(fc.nat(40), { nil: undefined, freq: 3 }),
  isRevert: fc.boolean(),
  passes: fc.nat(1),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

/** Applies a happening to a ledger. Many dates are in the past or the future, and most occur more than once. */
function apply(ledger: TestLedger, { date, touched, isRevert, passes }: Happening): void {
  const micros = toMicros(ledger.now);
  ledger.now = fromMicros(micros + BigInt(passes) * 1_000_000n);
  const options = { idempotencyKey: "", dryRun: false };
  const known =
    touched === undefined ? undefined : ledger.engine.reads.findTransaction(touched, BARE);
  if (known === undefined) {
    const timestamp =
      date === undefined ? undefined : fromMicros(micros + BigInt(date) * 1_000_000n);
    const fields = timestamp === undefined ? {} : { timestamp };
    ledger.engine.execute(create(posting("world -> a", 1), fields), options);
  } else if (isRevert && known.revertedAt === undefined) {
    ledger.engine.execute(revert(known.id, { force: true }), options);
  } else {
    ledger.engine.execute(setMetadata(known.id, { at: ledger.now }), options);
  }
}

const sortOf = (column: string, order: "asc" | "desc", list: readonly Transaction[]): number[] => {
  const key = keyOf[column] ?? (() => "");
  const sign = order === "asc" ? 1 : -1;
  return list
    .toSorted((a, b) => (key(a) === key(b) ? a.id - b.id : key(a) < key(b) ? -1 : 1) * sign)
    .map(({ id }) => id);
};

const idsOf = (pages: readonly (readonly Transaction[])[]): number[] =>
  pages.flat().map(({ id }) => id);

const column = fc.constantFrom(...Object.keys(TRANSACTION_COLUMNS));
const order = fc.constantFrom("asc" as const, "desc" as const);
const pageSize = fc.integer({ min: 1, max: 7 });

describe("a walk through transactions", () => {
  test("a walk through transactions reads each once in order, and the same pages on the way back", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ past: fc.array(happening, { maxLength: 40 }), column, order, pageSize }),
        async ({ past, column, order, pageSize }) => {
          const ledger = new TestLedger();
          for (const it of past) apply(ledger, it);
          const read = async (query: PageQuery) =>
            ledger.engine.reads.listTransactions(query, BARE);
          const { forward, backward } = await walk(read, {
            columns: TRANSACTION_COLUMNS,
            column,
            order,
            pageSize,
          });
          expect(idsOf(forward)).toEqual(sortOf(column, order, ledger.transactions()));
          expect(backward.toReversed().map((page) => page.map(({ id }) => id))).toEqual(
            forward.slice(0, -1).map((page) => page.map(({ id }) => id)),
          );
        },
      ),
      { numRuns: runsOf(120) },
    );
  });

  test("a walk through transactions reads each that existed at its beginning once, in order, while writes go on", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          past: fc.array(happening, { minLength: 5, maxLength: 30 }),
          meanwhile: fc.array(fc.array(happening, { maxLength: 3 }), { maxLength: 20 }),
          // Sorts by `updated_at` are left out, because a change moves a transaction to another place of theirs.
          column: column.filter((name) => name !== "updated_at"),
          order,
          pageSize,
        }),
        async ({ past, meanwhile, column, order, pageSize }) => {
          const ledger = new TestLedger();
          for (const it of past) apply(ledger, it);
          const atBegin = sortOf(column, order, ledger.transactions());
          const coming = [...meanwhile];
          const read = async (query: PageQuery) => {
            const page = ledger.engine.reads.listTransactions(query, BARE);
            for (const it of coming.shift() ?? []) apply(ledger, it);
            return page;
          };
          const { forward, backward } = await walk(read, {
            columns: TRANSACTION_COLUMNS,
            column,
            order,
            pageSize,
          });
          const known = new Set(atBegin);
          const found = idsOf(forward);
          expect(new Set(found).size).toBe(found.length);
          expect(found.filter((id) => known.has(id))).toEqual(atBegin);
          const back = idsOf(backward.toReversed());
          expect(new Set(back).size).toBe(back.length);
          const lastPage = new Set(forward.at(-1)?.map(({ id }) => id));
          expect(back.filter((id) => known.has(id))).toEqual(
            atBegin.filter((id) => !lastPage.has(id)),
          );
        },
      ),
      { numRuns: runsOf(120) },
    );
  });
});

describe("a walk through accounts", () => {
  const segment = fc.constantFrom("a", "B", "10", "9", "a-", "a_", "Z", "__proto__");
  const address = fc.array(segment, { minLength: 1, maxLength: 3 }).map((it) => it.join(":"));

  test("a walk through accounts reads each once in the order of bytes, both ways, while accounts are added", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          past: fc.uniqueArray(address, { minLength: 1, maxLength: 25 }),
          coming: fc.array(address, { maxLength: 15 }),
          order,
          pageSize,
        }),
        async ({ past, coming, order, pageSize }) => {
          const ledger = new TestLedger();
          for (const it of past) ledger.run(setMetadata(it, {}));
          const waiting = [...coming];
          const read = async (query: PageQuery) => {
            const page = ledger.engine.reads.listAccounts(query, BARE);
            const next = waiting.shift();
            if (next !== undefined) ledger.run(setMetadata(next, {}));
            return page;
          };
          const options = {
            columns: { address: "text" },
            column: "address",
            order,
            pageSize,
          } as const;
          const { forward, backward } = await walk(read, options);
          const sorted = order === "asc" ? past.toSorted() : past.toSorted().toReversed();
          const addresses = forward.flat().map((account): string => account.address);
          expect(new Set(addresses).size).toBe(addresses.length);
          expect(addresses.filter((it) => past.includes(it))).toEqual(sorted);
          const back = backward
            .toReversed()
            .flat()
            .map((account): string => account.address);
          const lastPage = new Set(forward.at(-1)?.map((account): string => account.address));
          expect(back.filter((it) => past.includes(it))).toEqual(
            sorted.filter((it) => !lastPage.has(it)),
          );
        },
      ),
      { numRuns: runsOf(80) },
    );
  });

  test("a walk through accounts and volumes by patterns of addresses reads exactly the matches, both ways, in each order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          known: fc.subarray(CANDIDATES, { minLength: 200 }),
          where: patternFilter,
          column: fc.constantFrom("address", "insertion_date", "first_usage"),
          isPast: fc.boolean(),
          order,
          pageSize: fc.integer({ min: 1, max: 9 }),
        }),
        async ({ known, where, column, isPast, order, pageSize }) => {
          const ledger = new TestLedger();
          for (let from = 0; from < known.length; from += 100) {
            const part = known.slice(from, from + 100);
            ledger.commit(create(part.map((it) => posting(`world -> ${it}`, 1))));
          }
          const then = ledger.now;
          ledger.now = fromMicros(toMicros(then) + 1_000_000n);
          ledger.commit(create([posting("world -> a:x:new", 1), posting("world -> new:x", 1)]));
          const present = [...known, "world", ...(isPast ? [] : ["a:x:new", "new:x"])];
          const expected = present.filter((it) => isMatch(where, it)).toSorted();
          const scope = { where: JSON.stringify(where), ...(isPast ? { pit: then } : {}) };
          const accounts = await walk(
            async (query) => ledger.engine.reads.listAccounts({ ...query, ...scope }, BARE),
            {
              columns: { address: "text", insertion_date: "date", first_usage: "date" },
              column,
              order,
              pageSize,
            },
          );
          const found = accounts.forward.flat().map((account): string => account.address);
          expect(column === "address" ? found : found.toSorted()).toEqual(
            column === "address" && order === "desc" ? expected.toReversed() : expected,
          );
          expect(accounts.backward.toReversed().map(addressesOf)).toEqual(
            accounts.forward.slice(0, -1).map(addressesOf),
          );
          const volumes = await walk(
            async (query) => ledger.engine.reads.listVolumes({ ...query, ...scope }),
            { columns: { account: "text" }, column: "account", order, pageSize },
          );
          expect(volumes.forward.flat().map((row): string => row.account)).toEqual(
            order === "desc" ? expected.toReversed() : expected,
          );
        },
      ),
      { numRuns: runsOf(60) },
    );
  });
});

/** Addresses with long and short gaps between them, and segments that begin other segments. */
const CANDIDATES = ["a", "a-", "a0", "b"].flatMap((first) => [
  first,
  ...["x", "x-", "x0", "y"].flatMap((second) => [
    `${first}:${second}`,
    ...Array.from({ length: 45 }, (_, index) => `${first}:${second}:${index}`),
    `${first}:${second}:7:z`,
  ]),
]);

type PatternFilter =
  | { readonly $match: { readonly address: string } }
  | { readonly $and: readonly PatternFilter[] }
  | { readonly $or: readonly PatternFilter[] }
  | { readonly $not: PatternFilter };

const patternFilter: fc.Arbitrary<PatternFilter> = fc.letrec<{ node: PatternFilter }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: patternTest() },
    { weight: 1, arbitrary: fc.record({ $and: fc.tuple(tie("node"), tie("node")) }) },
    { weight: 1, arbitrary: fc.record({ $or: fc.tuple(tie("node"), tie("node")) }) },
    { weight: 1, arbitrary: fc.record({ $not: tie("node") }) },
  ),
})).node;

function patternTest(): fc.Arbitrary<PatternFilter> {
  const segment = fc.constantFrom("", "", "a", "a0", "x", "x-", "y", "7", "z");
  return fc
    .tuple(fc.array(segment, { minLength: 2, maxLength: 4 }), fc.boolean())
    .map(([segments, isOpen]) => ({
      $match: { address: [...segments, ...(isOpen ? ["..."] : [])].join(":") },
    }));
}

function isMatch(filter: PatternFilter, address: string): boolean {
  if ("$and" in filter) return filter.$and.every((it) => isMatch(it, address));
  if ("$or" in filter) return filter.$or.some((it) => isMatch(it, address));
  if ("$not" in filter) return !isMatch(filter.$not, address);
  const wanted = filter.$match.address.split(":");
  const segments = address.split(":");
  const isOpen = wanted.at(-1) === "...";
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  return (
    (isOpen ? segments.length >= fixed.length : segments.length === fixed.length) &&
    fixed.every((it, index) => it === "" || it === segments[index])
  );
}

const addressesOf = (page: readonly { readonly address: string }[]): string[] =>
  page.map(({ address }) => address);
