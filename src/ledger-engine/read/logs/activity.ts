import { RowRanks } from "./row-ranks.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { periodEnd } from "#ledger-engine/read/scan/period-end.ts";
import { type Steps, toEnd } from "#ledger-engine/read/scan/steps.ts";
import { boundariesOf } from "#ledger-engine/rules/period.ts";
import type {
  LedgerActivity,
  ActivityInterval,
  ActivityQuery,
} from "#ledger-engine/rules/reads.ts";
import { lastEntryAt, lastTransactionAt } from "#ledger-engine/storage/ids-by-date.ts";
import { readHead } from "#ledger-engine/storage/log/log-tables.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";

/** The number of boundaries that a step looks up. */
const BOUNDARIES_STEP = 16;

/**
 * Counts what was written over time. A binary search turns each boundary between intervals into the last id before it, and the ranks of two
 * ids tell how many rows are between them: ids have gaps, so that their difference does not.
 */
export class ActivityHistory {
  readonly #sql: Sql;
  #transactions: RowRanks;
  #others: RowRanks;

  constructor({ sql }: Pick<ReadContext, "sql">) {
    this.#sql = sql;
    this.#transactions = new RowRanks(sql, "tx");
    this.#others = new RowRanks(sql, "entry");
  }

  /** Throws `VALIDATION` for a bad period. */
  read(query: ActivityQuery): LedgerActivity {
    return toEnd(this.readInSteps(query));
  }

  *readInSteps(query: ActivityQuery): Steps<LedgerActivity> {
    const sql = this.#sql;
    const boundaries = boundariesOf({ ...query, endTime: periodEnd(sql, query) });
    const [firstDate, last] = [firstDateOf(sql), readHead(sql)];
    const transactions = yield* this.#counts(
      boundaries,
      this.#transactions,
      (micros) => lastTransactionAt(sql, micros).id,
    );
    const others = yield* this.#counts(boundaries, this.#others, (micros) =>
      lastEntryAt(sql, micros),
    );
    const intervals: ActivityInterval[] = [];
    for (const [index, endTime] of boundaries.entries()) {
      const startTime = boundaries[index - 1];
      if (startTime === undefined) continue;
      const [made = 0, other = 0] = [transactions[index - 1], others[index - 1]];
      intervals.push({ startTime, endTime, transactions: made, entries: made + other });
    }
    return {
      firstEntryAt: firstDate === undefined ? undefined : fromMicros(firstDate),
      lastEntryAt: last === undefined ? undefined : fromMicros(last.date),
      intervals,
    };
  }

  /** Forgets all ranks, because rows may have been rolled back. */
  reset(): void {
    this.#transactions = new RowRanks(this.#sql, "tx");
    this.#others = new RowRanks(this.#sql, "entry");
  }

  /** The number of rows between each two boundaries. */
  *#counts(
    boundaries: readonly Timestamp[],
    ranks: RowRanks,
    lastIdAt: (micros: bigint) => number,
  ): Steps<number[]> {
    const ids = yield* idsBefore(boundaries, lastIdAt);
    const [from = -1, to = -1] = [ids[0], ids.at(-1)];
    if (from === to) return ids.slice(1).map(() => 0);
    yield* ranks.extendTo(from);
    yield* ranks.extendTo(to);
    const counts: number[] = [];
    let before = ranks.of(from);
    for (const [index, id] of ids.entries()) {
      if (index === 0) continue;
      const rank = id === ids[index - 1] ? before : ranks.of(id);
      counts.push(rank - before);
      before = rank;
      if (index % BOUNDARIES_STEP === 0) yield;
    }
    return counts;
  }
}

/** The last id before each boundary, by bisection: if two boundaries have the same last id, all boundaries between them have it. */
function* idsBefore(
  boundaries: readonly Timestamp[],
  lastIdAt: (micros: bigint) => number,
): Steps<number[]> {
  const ids = boundaries.map(() => -1);
  let searched = 0;
  const search = function* (index: number): Steps<undefined> {
    const boundary = boundaries[index];
    if (boundary !== undefined) ids[index] = lastIdAt(toMicros(boundary) - 1n);
    searched++;
    if (searched % BOUNDARIES_STEP === 0) yield;
    return undefined;
  };
  const fill = function* (low: number, high: number): Steps<undefined> {
    if (high - low < 2) return undefined;
    if (ids[low] === ids[high]) {
      ids.fill(ids[low] ?? -1, low + 1, high);
      return undefined;
    }
    const middle = Math.floor((low + high) / 2);
    yield* search(middle);
    yield* fill(low, middle);
    yield* fill(middle, high);
    return undefined;
  };
  yield* search(0);
  yield* search(boundaries.length - 1);
  yield* fill(0, boundaries.length - 1);
  return ids;
}

/** The date of the first entry of the log, in microseconds since 1970; undefined if the log is empty. Dates never decrease. */
const firstDateOf = (sql: Sql): number | undefined =>
  sql.all<{ date: number }>(
    `SELECT date FROM (SELECT date FROM tx ORDER BY id LIMIT 1)
      UNION ALL SELECT date FROM (SELECT date FROM entry ORDER BY id LIMIT 1) ORDER BY date LIMIT 1`,
  )[0]?.date;
