import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  AccountVolumeReader,
  keepsEffectiveVolumes,
  NOW,
} from "#ledger-engine/read/scan/account-volumes.ts";
import { sourceOfIds, SummedBalances } from "#ledger-engine/read/scan/summed-balances.ts";
import type { Features, Transaction } from "#ledger-engine/rules/types.ts";
import { StoredNames } from "#ledger-engine/storage/names/names.ts";
import { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import { present } from "#platform/assert.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";
import { at, create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const readerOf = ({ sql, engine }: TestLedger): AccountVolumeReader =>
  new AccountVolumeReader({
    sql,
    transactions: new TransactionReader(sql, new StoredNames(sql)),
    hasEffectiveDeltas: keepsEffectiveVolumes(engine.info.features),
  });

const EFFECTIVE: Partial<Features> = {};
const ADDED_UP: Partial<Features> = { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" };

const names = ["a", "b", "world"];
const assets = ["A", "B", "C", "D", "E", "F"];

/** A transaction: its accounts, amount and asset, its date in seconds from now, and whether time passes before it. */
const step = fc.record({
  source: fc.constantFrom(...names),
  destination: fc.constantFrom(...names),
  asset: fc.constantFrom(...assets),
  amount: fc.constantFrom(0n, 1n, 7n, 2n ** 53n, 10n ** 30n),
  date: fc.option(fc.integer({ min: -4, max: 4 }), { nil: undefined, freq: 2 }),
  passes: fc.nat(2),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const later = (date: Timestamp, seconds: number): Timestamp =>
  fromMicros(toMicros(date) + BigInt(seconds) * 1_000_000n);

function make(ledger: TestLedger, steps: readonly Step[]): Transaction[] {
  return steps.map(({ source, destination, asset, amount, date, passes }) => {
    ledger.now = later(ledger.now, passes);
    const { transaction } = ledger.engine.execute(
      create(posting(`${source} -> ${destination}`, amount, asset), {
        force: true,
        ...(date === undefined ? {} : { timestamp: later(ledger.now, date) }),
      }),
      { idempotencyKey: "", dryRun: false },
    );
    return present(transaction, "it makes a transaction");
  });
}

/** Volumes as `account asset input/output`, by adding up all transactions. */
function addedUp(transactions: readonly Transaction[]): string[] {
  const sums = new Map<string, { input: bigint; output: bigint }>();
  for (const { source, destination, asset, amount } of transactions.flatMap((it) => it.postings)) {
    for (const [account, input, output] of [
      [source, 0n, amount],
      [destination, amount, 0n],
    ] as const) {
      const sum = sums.get(`${account} ${asset}`) ?? { input: 0n, output: 0n };
      sums.set(`${account} ${asset}`, { input: sum.input + input, output: sum.output + output });
    }
  }
  return [...sums].map(([key, { input, output }]) => `${key} ${input}/${output}`).toSorted();
}

describe.each([
  ["with effective volumes", EFFECTIVE],
  ["without", ADDED_UP],
])("volumes of a ledger %s", (_, features) => {
  test("volumes of a ledger are the sums of all transactions up to any date, in both orders", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30, size: "max" }),
        fc.integer({ min: -10, max: 40 }),
        fc.integer({ min: 1, max: assets.length }),
        (steps, second, kinds) => {
          const ledger = new TestLedger({ features });
          const start = ledger.now;
          const known = new Set(assets.slice(0, kinds));
          const made = make(
            ledger,
            steps.filter(({ asset }) => known.has(asset)),
          );
          const reader = readerOf(ledger);
          const accounts = ledger.sql.all<{ id: number; address: string }>(
            "SELECT id, address FROM account",
          );
          const addresses = new Map(accounts.map(({ id, address }) => [id, address]));
          const texts = new Map(
            ledger.sql
              .all<{ id: number; name: string }>("SELECT id, name FROM asset")
              .map(({ id, name }) => [id, name]),
          );
          const date = later(start, second);
          const ids = [...addresses.keys()];
          for (const [moment, counted] of [
            [NOW, made],
            [
              reader.asOfDate(date, { insertionDate: true }),
              made.filter(({ insertedAt }) => insertedAt <= date),
            ],
            [
              reader.asOfDate(date, { insertionDate: false }),
              made.filter(({ timestamp }) => timestamp <= date),
            ],
          ] as const) {
            const holdings = [...reader.batches(ids, moment)].flatMap((it) => it.holdings);
            const found = holdings.map(
              ({ account, asset, input, output }) =>
                `${addresses.get(account)} ${texts.get(asset)} ${input}/${output}`,
            );
            expect(found.toSorted()).toEqual(addedUp(counted));
            for (const holding of holdings) expect(reader.find(holding, moment)).toEqual(holding);
            // Without effective volumes, the engine serves no sums by effective date.
            if (moment.date !== undefined && features === ADDED_UP) continue;
            const summed = new SummedBalances(ledger.sql, reader);
            const sums = new Map<number, bigint>();
            for (const { asset, balance } of summed.of(sourceOfIds(ids), moment, [
              ...texts.keys(),
            ])) {
              sums.set(asset, (sums.get(asset) ?? 0n) + balance);
            }
            const moved = new Set(holdings.map(({ asset }) => asset));
            expect(new Set(sums.keys())).toEqual(moved);
            expect([...sums.values()].filter((sum) => sum !== 0n)).toEqual([]);
          }
        },
      ),
      { numRuns: runsOf(200) },
    );
  });
});

test("a read of some assets of some accounts reads only those", () => {
  const ledger = new TestLedger();
  ledger.commit(create(assets.map((asset) => posting("world -> a", 1, asset))));
  const [a = 0] = ledger.sql
    .all<{ id: number }>("SELECT id FROM account WHERE address = 'a'")
    .map(({ id }) => id);
  const read = (wanted: { assets?: number[]; bounds?: { operator: "$gt"; value: bigint }[] }) =>
    [...readerOf(ledger).batches([a], NOW, wanted)]
      .flatMap(({ holdings }) => holdings)
      .map(({ asset }) => asset)
      .toSorted((x, y) => x - y);
  expect(read({})).toEqual([1, 2, 3, 4, 5, 6]);
  expect(read({ assets: [2, 5] })).toEqual([2, 5]);
  expect(read({ assets: [] })).toEqual([]);
  expect(read({ bounds: [{ operator: "$gt", value: 0n }] })).toEqual([1, 2, 3, 4, 5, 6]);
  expect(read({ bounds: [{ operator: "$gt", value: 1n }] })).toEqual([]);
});

test("volumes at a date between two transactions are those after the earlier one", () => {
  const ledger = new TestLedger();
  ledger.commit(create(posting("world -> a", 1)));
  ledger.commit(create(posting("world -> a", 1)));
  const reader = readerOf(ledger);
  expect(reader.asOfDate(at("10:00:01.5"), { insertionDate: true })).toEqual({
    lastTx: 1,
    date: undefined,
  });
  expect(reader.asOfDate(at("09:00"), { insertionDate: false })).toEqual({
    lastTx: -1,
    date: at("09:00"),
  });
});
