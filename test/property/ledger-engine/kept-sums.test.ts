import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import type { AssetBalance } from "#ledger-engine/rules/reads.ts";
import type { Command } from "#ledger-engine/rules/types.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMicros, toMicros } from "#platform/time.ts";
import { create, posting, revert, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import { StatementCounts } from "#test/support/ledger-engine/statement-counts.ts";

/** Accounts of the ledger. Sums over few accounts are not kept. */
const USERS = 600;

const FILTERS = [
  { $match: { address: "users:" } },
  { $match: { address: "users::main" } },
  { $match: { address: "::main" } },
  { $match: { address: ":" } },
  { $match: { address: "users:..." } },
  { $like: { address: "users:%" } },
  { $not: { $match: { address: "users::main" } } },
  { $or: [{ $match: { address: "users:1" } }, { $match: { address: "users::main" } }] },
  { $and: [{ $match: { address: "users:..." } }, { $not: { $match: { address: "users:" } } }] },
  { $match: { "metadata[kind]": "user" } },
] as const;

/** A ledger in which most filters match so many accounts that their sums are kept. */
function filled(sql = new StatementCounts()): TestLedger {
  const ledger = new TestLedger({ sql });
  ledger.bulk(
    Array.from({ length: USERS }, (_, index) => [
      create(posting(`world -> users:${index}`, index, "USD")),
      create(posting(`world -> users:${index}:main`, 1, "USD")),
    ]).flat(),
  );
  return ledger;
}

const account = fc.oneof(
  fc.constantFrom("world", "bank"),
  fc.nat(USERS + 20).map((index) => `users:${index}`),
  fc.nat(USERS + 20).map((index) => `users:${index}:main`),
  fc.nat(9).map((index) => `users:${index}:main:deep`),
);
const amount = fc.oneof(fc.bigInt(0n, 100n), fc.constantFrom(2n ** 53n, 2n ** 64n, 10n ** 40n));

const write: fc.Arbitrary<(now: bigint) => Command> = fc.oneof(
  fc
    .tuple(
      account,
      account,
      amount,
      fc.constantFrom("USD", "EUR", "JPY"),
      fc.constantFrom(0, 0, -3, 3),
    )
    .map(
      ([source, destination, moved, asset, seconds]) =>
        (now: bigint) =>
          create(posting(`${source} -> ${destination}`, moved, asset), {
            force: true,
            ...(seconds === 0 ? {} : { timestamp: fromMicros(now + BigInt(seconds) * 1_000_000n) }),
          }),
    ),
  fc.integer({ min: 1, max: 2 * USERS }).map((id) => () => revert(id, { force: true })),
);

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("read"), filter: fc.nat(FILTERS.length - 1) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("readBeside"),
        filter: fc.nat(FILTERS.length - 1),
        writes: fc.array(write, { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("bulk"),
        writes: fc.array(write, { maxLength: 5 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("undone"),
        writes: fc.array(write, { maxLength: 5 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("opened") }) },
  ),
  { minLength: 4, maxLength: 14 },
);
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never;

const textOf = (sums: readonly AssetBalance[]): string[] =>
  sums.map(({ asset, balance }) => `${asset} ${balance}`);

/** The sums of a filter, read by an engine that has kept nothing. */
function coldSums(ledger: TestLedger, where: string): string[] {
  const engine = new LedgerEngine(ledger.sql, () => ledger.now);
  return textOf(engine.reads.aggregateBalances({ where, useInsertionDate: false }));
}

function take(ledger: TestLedger, step: Step): void {
  const commands = "writes" in step ? step.writes.map((make) => make(toMicros(ledger.now))) : [];
  switch (step.kind) {
    case "bulk":
      ledger.bulk(commands, { continueOnFailure: true });
      break;
    case "undone":
      // The last element is refused, so that the whole bulk is rolled back.
      ledger.bulk([...commands, create(posting("nobody -> bank", 1))], { atomic: true });
      break;
    case "opened":
      ledger.open();
      break;
    default: {
      const where = stringifyJson(FILTERS["filter" in step ? step.filter : 0]);
      const query = { where, useInsertionDate: false };
      const expected = coldSums(ledger, where);
      const reads = ledger.engine.reads.inSteps.aggregateBalances(query);
      let next = reads.next();
      for (const command of commands) {
        ledger.bulk([command]);
        if (next.done !== true) next = reads.next();
      }
      while (next.done !== true) next = reads.next();
      expect(textOf(next.value)).toEqual(expected);
      expect(textOf(ledger.engine.reads.aggregateBalances(query))).toEqual(coldSums(ledger, where));
    }
  }
}

test("sums that writes keep up to date are those that an engine without them adds up", () => {
  fc.assert(
    fc.property(steps, (run) => {
      const ledger = filled();
      for (const step of run) take(ledger, step);
      for (const filter of FILTERS) {
        const where = stringifyJson(filter);
        const sums = ledger.engine.reads.aggregateBalances({ where, useInsertionDate: false });
        expect(textOf(sums)).toEqual(coldSums(ledger, where));
      }
      expect(audited(ledger).differences).toEqual([]);
    }),
    { numRuns: 6 },
  );
});

/** Filters by addresses, without those whose sums are total sums less a few accounts. */
const KEPT = FILTERS.map((filter) => stringifyJson(filter)).filter(
  (where) => !/^\{"\$match":\{"(?:metadata|address":"users:\.\.\.)|^\{"\$like/.test(where),
);

test.each(KEPT)(
  "the second sum of %s takes one statement, also after writes to its accounts",
  (where) => {
    const sql = new StatementCounts();
    const ledger = filled(sql);
    const read = () => ledger.engine.reads.aggregateBalances({ where, useInsertionDate: false });
    read();
    ledger.commit(create(posting("world -> users:7", 5, "EUR")));
    ledger.commit(create(posting("world -> users:new:main", 5, "EUR")));
    const before = sql.total;
    const sums = textOf(read());
    expect(sql.total - before).toBe(1);
    expect(sums).toEqual(coldSums(ledger, where));
  },
);

test("a sum that nobody takes to its end is begun anew", () => {
  const ledger = filled();
  const query = { where: stringifyJson(FILTERS[0]), useInsertionDate: false };
  const left = ledger.engine.reads.inSteps.aggregateBalances(query);
  left.next();
  left.return([]);
  ledger.commit(create(posting("world -> users:7", 5, "EUR")));
  for (let time = 0; time < 2; time++) {
    expect(textOf(ledger.engine.reads.aggregateBalances(query))).toEqual(
      coldSums(ledger, query.where),
    );
  }
});
