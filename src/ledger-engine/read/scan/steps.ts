import { type AsOf, NOW } from "./account-volumes.ts";
import type { LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { testsOf } from "#ledger-engine/rules/filters/filters.ts";
import { first, type Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** A read in steps. Between two of them, whoever takes them may do other work, such as writes of the same ledger. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** What a read sees as the present, and how many accounts it looks at in a step at most. */
export interface View {
  readonly now: AsOf;
  readonly rowsMax: number | undefined;
}

/** Of a read that takes all its steps in one turn. */
export const WHOLE: View = { now: NOW, rowsMax: undefined };

/** This many accounts are looked at in a step, so that one is far below the time that a write may wait. */
const STEP_ROWS = 500;
/** So often a read begins again, because something was written that it would have had to see; then it takes one turn. */
const TRIES_MAX = 3;

/** Takes all steps in one turn. */
export function toEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

/**
 * Takes a read of volumes step by step, as of the moment of its first step: volumes after a transaction never change, so
 * that later transactions are left out. By effective date that isn't enough, as a transaction with an earlier date
 * changes the volumes behind it: a read that goes up to the date `until` begins again if one came that counts there.
 */
export function* inSteps<T>(
  sql: Sql,
  until: Timestamp | undefined,
  read: (view: View) => Steps<T>,
): Steps<T> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { lastTx } = first(
      sql.all<{ lastTx: number }>("SELECT coalesce(max(id), -1) AS lastTx FROM tx"),
    );
    const steps = read({ now: { lastTx, date: undefined }, rowsMax: STEP_ROWS });
    for (;;) {
      const next = steps.next();
      if (next.done === true) return next.value;
      yield;
      if (until !== undefined && hasSince(sql, lastTx, until)) break;
    }
  }
  return toEnd(read(WHOLE));
}

/** Whether a transaction was inserted after another one with an effective date that is not after `until`. */
const hasSince = (sql: Sql, lastTx: number, until: Timestamp): boolean =>
  sql.all(
    `SELECT 1 FROM tx JOIN log ON log.id = tx.log
      WHERE tx.id > ? AND coalesce(tx.timestamp, log.date) <= CAST(? AS INTEGER) LIMIT 1`,
    lastTx,
    toMicros(until).toString(),
  ).length > 0;

/** Whether a filter tests nothing that changes with an account: addresses and volumes only, no metadata and no dates. */
export const isOfVolumes = (filter: LedgerFilter | undefined): boolean =>
  filter === undefined || [...testsOf(filter)].every(({ kind }) => VOLUME_TESTS.has(kind));

const VOLUME_TESTS: ReadonlySet<string> = new Set([
  "address",
  "addressLike",
  "balance",
  "balanceExists",
]);
