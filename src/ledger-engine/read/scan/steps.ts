import { type AsOf, NOW } from "./account-volumes.ts";
import type { ReadContext } from "./context.ts";
import {
  type FilterTest,
  type LedgerFilter,
  testsOf,
} from "#ledger-engine/rules/filters/filters.ts";
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

/** What a read of volumes depends on besides the volumes after each transaction, which never change. */
export interface Basis {
  /** The last effective date that counts; undefined where the order of insertion counts. */
  readonly until: Timestamp | undefined;
  readonly filter: LedgerFilter | undefined;
}

/**
 * Takes a read of volumes step by step, as of the moment of its first step: later transactions are left out. A
 * transaction with an earlier effective date changes the volumes behind it, and metadata is not kept as it was. So a read
 * that depends on these begins again if something was written in between that counts. It takes one turn if it tests
 * dates of accounts.
 */
export function* inSteps<T>(
  { sql, countMetadataPairs }: Pick<ReadContext, "sql" | "countMetadataPairs">,
  { until, filter }: Basis,
  read: (view: View) => Steps<T>,
): Steps<T> {
  const kinds = new Set(filter === undefined ? [] : Array.from(testsOf(filter), kindOf));
  const tries = kinds.has("date") ? 0 : TRIES_MAX;
  for (let tried = 0; tried < tries; tried++) {
    const lastTx = lastTransaction(sql);
    const pairs = countMetadataPairs();
    const steps = read({ now: { lastTx, date: undefined }, rowsMax: STEP_ROWS });
    for (;;) {
      const next = steps.next();
      if (next.done === true) return next.value;
      yield;
      if (until !== undefined && hasSince(sql, lastTx, until)) break;
      if (kinds.has("metadata") && countMetadataPairs() !== pairs) break;
    }
  }
  return toEnd(read(WHOLE));
}

const lastTransaction = (sql: Sql): number =>
  first(sql.all<{ id: number }>("SELECT coalesce(max(id), -1) AS id FROM tx")).id;

/** Whether a transaction was inserted after another one with an effective date that is not after `until`. */
const hasSince = (sql: Sql, lastTx: number, until: Timestamp): boolean =>
  sql.all(
    `SELECT 1 FROM tx
      WHERE id > ? AND coalesce(timestamp, date) <= CAST(? AS INTEGER) LIMIT 1`,
    lastTx,
    toMicros(until).toString(),
  ).length > 0;

/** What a test of a filter is about, as far as it matters here. */
function kindOf({ kind }: FilterTest): "volumes" | "metadata" | "date" {
  switch (kind) {
    case "address":
    case "addressLike":
    case "balance":
    case "balanceExists":
      return "volumes";
    case "metadata":
    case "metadataLike":
    case "metadataExists":
      return "metadata";
    default:
      return "date";
  }
}
