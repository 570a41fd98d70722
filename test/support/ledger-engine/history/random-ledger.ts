import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { LedgerHistory } from "./history.ts";
import { type DateChoice, type Known, step, type Step, welcome } from "./steps.ts";
import { toIdempotencyText } from "#ledger-engine/rules/log/idempotency.ts";
import { toMemento } from "#ledger-engine/rules/log/memento.ts";
import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import type { Command, Features } from "#ledger-engine/rules/types.ts";
import { present } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";
import { element, TestLedger } from "#test/support/ledger-engine/fixtures.ts";

/** A ledger after many random steps, and the naive reader of its history. */
export interface RandomLedger {
  readonly ledger: TestLedger;
  readonly history: LedgerHistory;
}

export interface RandomLedgerOptions {
  /** The seed of the random steps. Equal seeds make equal ledgers. */
  readonly seed: number;
  readonly features?: Partial<Features>;
  /** The number of accounts in addition to the usual ones; by default, none. */
  readonly crowd?: number;
}

/** The number of steps of a run, which make about 370 transactions. */
const STEPS = 700;

export function makeRandomLedger({
  seed,
  features = {},
  crowd = 0,
}: RandomLedgerOptions): RandomLedger {
  const run = new LedgerRun(new TestLedger({ features }));
  const steps = fc.sample(step, { seed, numRuns: STEPS });
  for (const [index, next] of steps.entries()) {
    for (let nth = index; nth < crowd; nth += STEPS) welcome(nth).forEach((it) => run.do(it));
    run.do(next);
    if (index % EVICTED_AFTER === EVICTED_AFTER - 1) run.ledger.open();
  }
  return { ledger: run.ledger, history: run.toHistory() };
}

const EVICTED_AFTER = 250;

const HOUR_MICROS = 3_600_000_000n;

class LedgerRun implements Known {
  readonly ledger: TestLedger;
  /** The hash of the inputs of each write, by log id. */
  readonly #hashes = new Map<number, string>();
  readonly #ids: number[] = [];
  readonly #dates: Timestamp[] = [];
  readonly #start: bigint;

  constructor(ledger: TestLedger) {
    this.ledger = ledger;
    this.#start = toMicros(ledger.now);
  }

  do({ waitMicros, key, dryRun, toCommands, atomic }: Step): void {
    this.ledger.now = fromMicros(toMicros(this.ledger.now) + waitMicros);
    const commands = toCommands(this);
    if (atomic === undefined) {
      const [command] = commands;
      if (command !== undefined) this.#execute(command, { key, dryRun });
      return;
    }
    const elements = commands.map((command) => element(command));
    const options = { atomic, continueOnFailure: true };
    const results = this.ledger.engine.executeBulk(elements, options);
    if (atomic && results.some(({ ok }) => !ok)) return;
    for (const [index, result] of results.entries()) {
      const command = commands[index];
      if (result.ok && command !== undefined) this.#note(command, result.value);
    }
  }

  #execute(command: Command, { key, dryRun }: { key: string; dryRun: boolean }): void {
    try {
      const outcome = this.ledger.engine.execute(command, { idempotencyKey: key, dryRun });
      if (!dryRun && !outcome.isReplay) this.#note(command, outcome);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }

  #note(
    command: Command,
    { logId, transaction }: { logId: number; transaction?: { id: number; insertedAt: Timestamp } },
  ): void {
    this.#hashes.set(logId, sha256(toIdempotencyText(command)));
    if (transaction === undefined) return;
    this.#ids.push(transaction.id);
    this.#dates.push(transaction.insertedAt);
  }

  id(nth: number): number {
    return this.#ids.at(nth % this.#ids.length) ?? Math.abs(nth);
  }

  date({ hours, micros, nth }: DateChoice): Timestamp {
    const known = nth % 4 === 0 ? this.#dates[nth % this.#dates.length] : undefined;
    const base = known === undefined ? this.#start + BigInt(hours) * HOUR_MICROS : toMicros(known);
    return fromMicros(base + BigInt(micros));
  }

  toHistory(): LedgerHistory {
    const { features } = this.ledger.engine.info;
    let chain = "";
    const entries = this.ledger.logs().map((entry): LogListEntry => {
      const text = `${chain === "" ? "" : `"${chain}"\n`}${toMemento(entry)}\n`;
      chain = createHash("sha256").update(text).digest("base64");
      const idempotencyHash = present(this.#hashes.get(entry.id), `entry ${entry.id} was written`);
      return { ...entry, idempotencyHash, hash: features.HASH_LOGS === "SYNC" ? chain : "" };
    });
    return new LedgerHistory(entries, features);
  }
}

/** SHA-256 in base64url with padding. */
const sha256 = (text: string): string =>
  createHash("sha256").update(text).digest("base64").replaceAll("+", "-").replaceAll("/", "_");
