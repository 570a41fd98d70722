import { LedgerEngine } from "#ledger-engine/engine.ts";
import { parseFeatures } from "#ledger-engine/rules/features.ts";
import type {
  Account,
  Asset,
  Command,
  CreateTransaction,
  LedgerInfo,
  Metadata,
} from "#ledger-engine/rules/types.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { fromMicros, type Timestamp } from "#platform/time.ts";
import { Random } from "#scripts/lib/random.ts";

/** The date of the first transaction: 2026-01-01, in microseconds since the epoch. */
const START = 1_767_225_600_000_000n;
/** Advance of the clock between two bulks, in microseconds. */
const TICK_MICROS = 10_000_000n;
const BULK_SIZE = 1000;
const SEED = 23;
const AMOUNT_MAX = 100_000;
const MERCHANTS = 1000;
const HOUR_MICROS = 3_600_000_000n;
/** Most accounts. A ledger has one account for ten transactions. */
const ACCOUNTS_MAX = 100_000;

/** A ledger whose reads are measured, filled by the engine itself. */
export interface FilledLedger {
  readonly engine: LedgerEngine;
  readonly size: number;
  readonly accounts: number;
  /** The insertion date of the middle transaction. */
  readonly middle: Timestamp;
}

export const INFO: LedgerInfo = {
  uuid: "00000000-0000-4000-8000-000000000000",
  name: "reads",
  bucket: "_default",
  features: parseFeatures({}, { mayChoose: true }),
};

export const userAddress = (account: number): string =>
  `users:${String(account).padStart(6, "0")}:main`;

/**
 * Makes a ledger of about `size` transactions: 5 % are back-dated, 1 % are reverts, 10 % have a reference, 10 % have metadata, and some
 * move zero. One account in a hundred has metadata.
 */
export function fillLedger(sql: Sql, size: number): FilledLedger {
  let now = START;
  LedgerEngine.create(sql, INFO);
  const engine = new LedgerEngine(sql, () => fromMicros(now));
  const accounts = accountsOf(size);
  const random = new Random(SEED);
  for (let done = 0; done < size; done += BULK_SIZE) {
    const commands = Array.from({ length: Math.min(BULK_SIZE, size - done) }, (_, index) =>
      commandAt(done + index, { random, accounts, now }),
    );
    execute(engine, commands);
    now += TICK_MICROS;
  }
  return { engine, size, accounts, middle: middleOf(size) };
}

/** Opens a ledger that `fillLedger` has made with an equal `size`. */
export const openLedger = (sql: Sql, size: number): FilledLedger => ({
  engine: new LedgerEngine(sql, () => fromMicros(START)),
  size,
  accounts: accountsOf(size),
  middle: middleOf(size),
});

const accountsOf = (size: number): number => Math.min(Math.ceil(size / 10), ACCOUNTS_MAX);

const middleOf = (size: number): Timestamp =>
  fromMicros(START + (TICK_MICROS * BigInt(Math.ceil(size / BULK_SIZE))) / 2n);

/** Executes all commands. A call may stop early if its elements take much work, so that the rest is sent again. */
function execute(engine: LedgerEngine, commands: readonly Command[]): void {
  for (let done = 0; done < commands.length;) {
    const elements = commands
      .slice(done)
      .map((value) => ({ command: { ok: true as const, value }, idempotencyKey: "" }));
    const options = { atomic: false, continueOnFailure: true, isPart: true };
    done += engine.executeBulk(elements, options).length;
  }
}

interface FillContext {
  readonly random: Random;
  readonly accounts: number;
  readonly now: bigint;
}

function commandAt(index: number, context: FillContext): Command {
  const { random, accounts } = context;
  // Each account is used once before accounts are chosen at random.
  const account = index < accounts ? index + 1 : random.integer(1, accounts);
  if (index > accounts && random.chance(0.01)) {
    const id = random.integer(1, index);
    return { kind: "revertTransaction", id, force: true, atEffectiveDate: false };
  }
  if (index % 1000 === 7) {
    const id = userAddress(account) as Account; // The text has the right form.
    return { kind: "setMetadata", target: { type: "ACCOUNT", id }, metadata: { tier: "gold" } };
  }
  return payment(index, account, context);
}

function payment(index: number, account: number, { random, now }: FillContext): CreateTransaction {
  const user = userAddress(account) as Account; // The text has the right form.
  const isSpent = random.chance(0.15);
  const merchant = `merchants:${random.integer(1, MERCHANTS)}` as Account; // The text has the right form.
  const metadata: Metadata = random.chance(0.1)
    ? { kind: "deposit", batch: `b${index % 5000}` }
    : {};
  return {
    kind: "createTransaction",
    postings: [
      {
        source: isSpent ? user : ("world" as Account), // The text has the right form.
        destination: isSpent ? merchant : user,
        amount: random.chance(0.001) ? 0n : BigInt(random.integer(1, AMOUNT_MAX)),
        asset: (random.chance(0.2) ? "EUR/2" : "USD/2") as Asset, // The text has the right form.
      },
    ],
    metadata,
    force: true,
    ...(random.chance(0.1) ? { reference: `ref-${index}` } : {}),
    // Payments from the world are never back-dated, because each later move of the world would have to be rewritten.
    ...(isSpent && random.chance(1 / 3)
      ? { timestamp: fromMicros(now - (HOUR_MICROS * BigInt(random.integer(0, 1000))) / 1000n) }
      : {}),
  };
}
