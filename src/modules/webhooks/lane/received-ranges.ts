import type { Sql } from "#platform/sql/sql.ts";

/** Entries of a log, the first and the last one included. */
export interface EntryRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The entries of each ledger's log that a lane has received. Messages come twice and in any order, so a lane has to know which
 * entries it has. Ranges that touch are joined, so that a ledger takes one row, and a few more while messages are out of order.
 */
export class ReceivedRanges {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Adds a range of a ledger, whose number is `origin`. Returns the parts of the range that are new, in ascending order; none for a
   * repetition. Called in the transaction that stores the deliveries of these parts, so that an entry counts as received only with them.
   */
  add(origin: number, { first, last }: EntryRange): EntryRange[] {
    const known = this.#sql.all<{ first: number; last: number }>(
      `SELECT first, last FROM received
       WHERE origin = ? AND first <= ? AND first >= coalesce(
         (SELECT max(first) FROM received WHERE origin = ? AND first < ?), ?)
       ORDER BY first`,
      origin,
      last + 1,
      origin,
      first,
      first,
    );
    const touching = known.filter((range) => range.last + 1 >= first);
    const fresh = gapsOf({ first, last }, touching);
    if (fresh.length === 0) return [];
    const joined = {
      first: Math.min(first, ...touching.map((range) => range.first)),
      last: Math.max(last, ...touching.map((range) => range.last)),
    };
    for (const range of touching) {
      if (range.first === joined.first) continue;
      this.#sql.all("DELETE FROM received WHERE origin = ? AND first = ?", origin, range.first);
    }
    this.#sql.all(
      `INSERT INTO received (origin, first, last) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET last = excluded.last`,
      origin,
      joined.first,
      joined.last,
    );
    return fresh;
  }
}

/** The parts of a range that no other range covers. `others` are disjoint and in ascending order. */
function gapsOf({ first, last }: EntryRange, others: readonly EntryRange[]): EntryRange[] {
  const gaps: EntryRange[] = [];
  let next = first;
  for (const other of others) {
    if (other.first > next) gaps.push({ first: next, last: Math.min(other.first - 1, last) });
    next = Math.max(next, other.last + 1);
  }
  if (next <= last) gaps.push({ first: next, last });
  return gaps;
}
