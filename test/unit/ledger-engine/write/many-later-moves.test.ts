import { expect, test } from "vitest";
import type { CreateTransaction, Transaction } from "#ledger-engine/rules/types.ts";
import { fromMicros, toMicros } from "#platform/time.ts";
import { Random } from "#scripts/lib/random.ts";
import { create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import { copyOf, exportOf } from "#test/support/ledger-engine/logs.ts";

const BACK_MAX_SECONDS = 300;

/** A transaction of one of few accounts, back-dated half of the time. */
function dated(ledger: TestLedger, random: Random): CreateTransaction {
  const account = random.chance(0.7) ? "a" : "b";
  const way = random.chance(0.5) ? `world -> ${account}` : `${account} -> world`;
  const amount = random.chance(0.1) ? 10n ** 25n : random.integer(0, 100);
  const asset = random.chance(0.8) ? "USD" : "EUR/2";
  const back = BigInt(random.integer(0, BACK_MAX_SECONDS)) * 1_000_000n;
  const timestamp = fromMicros(toMicros(ledger.now) - back);
  const fields = random.chance(0.5) ? { timestamp } : {};
  return create(posting(way, amount, asset), { force: true, ...fields });
}

/** The volumes after each move in the order of dates, added up by the test. */
function sumsOf(transactions: readonly Transaction[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const sums = new Map<string, { input: bigint; output: bigint }>();
  const byDate = transactions.toSorted((a, b) =>
    a.timestamp === b.timestamp ? a.id - b.id : a.timestamp < b.timestamp ? -1 : 1,
  );
  for (const { id, postings } of byDate) {
    for (const { source, destination, asset, amount } of postings) {
      for (const [account, side] of [
        [source, "output"],
        [destination, "input"],
      ] as const) {
        const sum = sums.get(`${account} ${asset}`) ?? { input: 0n, output: 0n };
        sum[side] += amount;
        sums.set(`${account} ${asset}`, sum);
        texts.set(`${id} ${account} ${asset}`, `${sum.input}/${sum.output}`);
      }
    }
  }
  return texts;
}

test.each([1, 2, 3, 4, 5, 6])(
  "effective volumes are those of the order of dates, however many moves are later (seed %i)",
  (seed) => {
    const random = new Random(seed);
    const ledger = new TestLedger();
    while (ledger.transactions().length < 150) {
      const kind = random.integer(1, 10);
      if (kind <= 5) ledger.commit(dated(ledger, random));
      else if (kind === 10) ledger.open();
      else ledger.bulk(Array.from({ length: 12 }, () => dated(ledger, random)));
    }
    const transactions = ledger.transactions();
    const found = transactions.flatMap(({ id, effectiveVolumes = [] }) =>
      effectiveVolumes.map(({ account, asset, input, output }) => [
        `${id} ${account} ${asset}`,
        `${input}/${output}`,
      ]),
    );
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(sumsOf(transactions)));
    expect(audited(ledger).differences).toEqual([]);
    expect(exportOf(copyOf(ledger))).toBe(exportOf(ledger));
  },
);
