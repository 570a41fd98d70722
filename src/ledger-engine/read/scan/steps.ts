import { type AsOf, NOW } from "./account-volumes.ts";
import type { ReadContext } from "./context.ts";
import {
  type FilterTest,
  type LedgerFilter,
  testsOf,
} from "#ledger-engine/rules/filters/filters.ts";
import { first, type Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** A read in steps. Between two steps, the caller may do other work, such as writes of the same ledger. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** The present as a read sees it, and the most accounts of a step. */
export interface View {
  readonly now: AsOf;
  readonly rowsMax: number | undefined;
}

/** The view of a read that takes all its steps in one turn. */
export const WHOLE: View = { now: NOW, rowsMax: undefined };

/** The number of accounts of a step, which then takes far less time than a write may wait. */
const STEP_ROWS = 500;
/** The number of tries in steps of a read that writes may invalidate. After them, the read takes one turn. */
const TRIES_MAX = 3;

/** Takes all steps in one turn. */
export function toEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

/** The dependencies of a read of volumes besides the volumes after each transaction, which never change. */
export interface Basis {
  /** The last effective date that counts; undefined if the order of insertion counts. */
  readonly until: Timestamp | undefined;
  readonly filter: LedgerFilter | undefined;
}

/**
 * Runs a read of volumes step by step, as of the moment of its first step: later transactions are left out. Two kinds of
 * writes between steps change what the read has seen: a transaction with an earlier effective date, and a change of
 * metadata that the filter tests. After such a write, the read begins again (optimistic concurrency control). A read
 * whose filter tests dates of accounts takes one turn.
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

/** The id of the last transaction; -1 if there is none. */
export const lastTransaction = (sql: Sql): number =>
  first(sql.all<{ id: number }>("SELECT coalesce(max(id), -1) AS id FROM tx")).id;

/** Whether a transaction after `lastTx` has an effective date that is not after `until`. */
export const hasSince = (sql: Sql, lastTx: number, until: Timestamp): boolean =>
  sql.all(
    `SELECT 1 FROM tx
      WHERE id > ? AND coalesce(timestamp, date) <= CAST(? AS INTEGER) LIMIT 1`,
    lastTx,
    toMicros(until).toString(),
  ).length > 0;

/** The kind of data that a test of a filter depends on. */
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
