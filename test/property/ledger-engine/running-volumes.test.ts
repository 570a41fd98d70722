import { expect, test } from "vitest";
import { RunningVolumes } from "#ledger-engine/storage/moves/running-volumes.ts";
import { VolumeTable } from "#ledger-engine/storage/moves/volume-table.ts";
import { StoredNames } from "#ledger-engine/storage/names/names.ts";
import { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import { Random } from "#scripts/lib/random.ts";
import { create, posting, revert, TestLedger } from "#test/support/ledger-engine/fixtures.ts";

const ACCOUNTS = ["world", "a", "b", "c", "d", "e", "f", "g", "h"];

/** A ledger with transactions of several postings, reverts, and gaps between ids. */
function ledgerOf(random: Random): TestLedger {
  const ledger = new TestLedger();
  const postings = Array.from({ length: 120 }, () =>
    Array.from({ length: random.chance(0.7) ? 1 : random.integer(2, 5) }, () =>
      posting(
        `${random.pick(ACCOUNTS)} -> ${random.pick(ACCOUNTS)}`,
        random.integer(0, 3),
        random.pick(["USD", "EUR/2"]),
      ),
    ),
  );
  for (const [index, of] of postings.entries()) {
    ledger.bulk([create(of, { force: true })]);
    if (random.chance(0.1)) ledger.bulk([revert(random.integer(1, index + 1), { force: true })]);
    if (random.chance(0.1)) ledger.run(create(of, { force: true }), { dryRun: true });
  }
  return ledger;
}

test.each([1, 2, 3, 4, 5, 6])(
  "volumes that move on are those of the moves, from any transaction on, however few are kept (seed %i)",
  (seed) => {
    const random = new Random(seed);
    const { sql } = ledgerOf(random);
    const names = new StoredNames(sql);
    const transactions = new TransactionReader(sql, names);
    const ids = sql.all<{ id: number }>("SELECT id FROM tx ORDER BY id").map(({ id }) => id);
    const stored = ids.flatMap((id) => transactions.find(id) ?? []);
    const expected = transactions.readVolumes(stored, names);
    for (const slots of [1, 8, 16, 512]) {
      let at = random.chance(0.5) ? 0 : random.integer(0, 60);
      const table = new VolumeTable(slots);
      const volumes = new RunningVolumes({ sql, names, isStart: at === 0, table });
      while (at < stored.length) {
        const page = stored.slice(at, at + random.pick([1, 3, 40]));
        expect(volumes.prepare(page)).toBe(true);
        for (const transaction of page) {
          if (random.chance(0.2)) volumes.pass(transaction);
          else {
            const found = volumes.volumesAfter(transaction);
            expect(found).toEqual(expected.get(transaction.id)?.volumes);
          }
        }
        at += page.length;
      }
    }
  },
);
