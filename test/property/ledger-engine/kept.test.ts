import { expect, test } from "vitest";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import type { CreateTransaction } from "#ledger-engine/rules/types.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { formatTimestamp, fromMicros, type Timestamp, toMicros } from "#platform/time.ts";
import { Random } from "#scripts/lib/random.ts";
import { FaultySql, StorageFault } from "#test/support/ledger-engine/faults.ts";
import {
  create,
  posting,
  revert,
  setMetadata,
  TestLedger,
  WITH_VOLUMES,
} from "#test/support/ledger-engine/fixtures.ts";

/** Steps of a run. Names, entries, dates and volumes are kept in memory. Some writes fail in the middle, and are rolled back. */
const STEPS = 60;
const SECOND = 1_000_000n;

/** A random date, one of a few around the present. */
function dateNear(ledger: TestLedger, random: Random): Timestamp {
  const seconds = toMicros(ledger.now) / SECOND;
  return fromMicros((seconds - (seconds % 20n) + 20n * BigInt(random.integer(-4, 2))) * SECOND);
}

const nameOf = (random: Random): string =>
  random.chance(0.5) ? random.pick(["world", "a", "b"]) : `c:${random.integer(1, 200)}`;

function creation(ledger: TestLedger, random: Random): CreateTransaction {
  const way = `${nameOf(random)} -> ${nameOf(random)}`;
  const amount = random.chance(0.1) ? 10n ** 25n : random.integer(0, 100);
  return create(posting(way, amount, random.chance(0.7) ? "USD" : "EUR/2"), {
    force: random.chance(0.8),
    metadata: random.chance(0.3) ? { k: random.pick(["v", "w"]) } : {},
    ...(random.chance(0.4) ? { timestamp: dateNear(ledger, random) } : {}),
  });
}

function write(ledger: TestLedger, random: Random): void {
  const made = ledger.engine.counts().transactions;
  const near = () => Math.max(1, made + random.integer(-5, 10));
  const one = () =>
    random.chance(0.2) ? revert(near(), { force: true }) : creation(ledger, random);
  switch (random.integer(1, 4)) {
    case 1:
      return void ledger.run(one(), { dryRun: random.chance(0.3) });
    case 2:
      return void ledger.run(one(), { key: `k${random.integer(0, 20)}` });
    case 3:
      return void ledger.run(setMetadata(random.chance(0.5) ? near() : "a", { k: "v" }));
    default:
      return void ledger.bulk(Array.from({ length: random.integer(1, 20) }, one), {
        atomic: random.chance(0.3),
        continueOnFailure: random.chance(0.5),
      });
  }
}

/** Reads of many kinds, equal for each engine. */
function readsAt(date: Timestamp, order: "asc" | "desc", pageSize: number) {
  const page = { kind: "column", order, reverse: false, pageSize } as const;
  const until = { where: stringifyJson({ $lte: { date: formatTimestamp(date) } }) };
  const before = { where: stringifyJson({ $lt: { timestamp: formatTimestamp(date) } }) };
  const ofAccount = { where: '{"$match":{"account":"a"}}' };
  const withMetadata = { where: '{"$match":{"metadata[k]":"v"}}' };
  return ({ reads }: LedgerEngine): string =>
    stringifyJson([
      reads.listLogs({ ...page, column: "id" }),
      reads.listLogs({ ...page, column: "date", ...until }),
      ...[before, ofAccount, withMetadata, { pit: date }].map((filter) =>
        reads.listTransactions({ ...page, column: "id", ...filter }, WITH_VOLUMES),
      ),
      reads.listTransactions({ ...page, column: "timestamp", pit: date }, WITH_VOLUMES),
      reads.listAccounts({ ...page, column: "address", ...withMetadata }, WITH_VOLUMES),
      reads.listAccounts({ ...page, column: "address" }, WITH_VOLUMES),
    ]);
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "a ledger that has kept what it read and wrote reads as one that was just opened (seed %i)",
  (seed) => {
    const random = new Random(seed);
    const sql = new FaultySql(new NodeSql());
    const ledger = new TestLedger({ sql });
    let faults = 0;
    for (let step = 0; step < STEPS; step++) {
      sql.arm(random.chance(0.3) ? random.integer(1, 30) : Number.POSITIVE_INFINITY);
      try {
        write(ledger, random);
      } catch (error) {
        if (error instanceof StorageFault) faults++;
        else expect(error).toBeInstanceOf(AppError);
      }
      sql.arm(Number.POSITIVE_INFINITY);
      const order = random.pick(["asc", "desc"] as const);
      const read = readsAt(dateNear(ledger, random), order, random.integer(1, 70));
      expect(read(ledger.engine)).toBe(read(new LedgerEngine(sql, () => ledger.now)));
    }
    expect(faults).toBeGreaterThan(0);
  },
);
