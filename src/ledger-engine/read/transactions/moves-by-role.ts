import type { Pair } from "#ledger-engine/read/scan/account-volumes.ts";
import {
  behind,
  type IdRange,
  isEmpty,
  type ScanOptions,
} from "#ledger-engine/read/scan/id-scan.ts";
import type { Order } from "#platform/paging/query.ts";
import { fromStored, type Sql, type StoredAmount } from "#platform/sql/sql.ts";

/** The side of an account in a posting. */
export type Side = "source" | "destination";

/** The role of moves that are on one side only, by side. The role of moves on both sides is 2. */
export const ROLES: Readonly<Record<Side, number>> = { destination: 0, source: 1 };

/** The number of moves that are read one by one before the search jumps over moves on the other side. */
const STEP_MIN = 16;
const STEP_MAX = 1000;

/**
 * The moves of a pair in which the account is on one side, although millions of moves on the other side may lie between
 * them. The output never decreases from one move to the next, and increases only at moves as a source (with an amount), so
 * that an exponential search (Bentley and Yao, 1976) followed by a binary search finds the next such move:
 *
 *     move      D   D   D   D   D   S   D   D      D destination, S source
 *     output    40  40  40  40  40  55  55  55
 *                                   └ the first move with an output above 40
 *
 * Moves as a destination are found by the input in the same way. Moves of zero amounts change neither volume, and have an
 * index of their own.
 */
export class MovesByRole {
  readonly #sql: Sql;
  readonly #pair: readonly [number, number];
  readonly #statements: Statements;
  readonly #role: number;

  constructor(sql: Sql, { account, asset }: Pair, side: Side) {
    this.#sql = sql;
    this.#pair = [account, asset];
    this.#statements = STATEMENTS[side];
    this.#role = ROLES[side];
  }

  /** The ids of the transactions with the moves, in order. */
  *iterate({ range, order, batch }: ScanOptions): Generator<number> {
    let step = Math.max(batch, STEP_MIN);
    for (let rest = range; !isEmpty(rest);) {
      const rows = this.#read(rest, order, step);
      const found = rows.filter(({ role }) => role % 4 === 2 || role % 4 === this.#role);
      for (const { tx } of found) yield tx;
      const last = rows.at(-1);
      if (last === undefined || rows.length < step) return;
      rest = behind(rest, order, last.tx);
      step = Math.min(step * 2, STEP_MAX);
      if (found.length > 0) continue;
      const next = this.#next(rest, order);
      if (next === undefined) return;
      yield next;
      rest = behind(rest, order, next);
      step = STEP_MIN;
    }
  }

  #read({ from, to }: IdRange, order: Order, limit: number): { tx: number; role: number }[] {
    return this.#sql.all<{ tx: number; role: number }>(
      `SELECT tx, role FROM move WHERE account = ? AND asset = ? AND tx >= ? AND tx <= ? ORDER BY tx ${order} LIMIT ? + 0`,
      ...this.#pair,
      from,
      to,
      limit,
    );
  }

  /** The nearest move on the side in a range. */
  #next(range: IdRange, order: Order): number | undefined {
    const candidates = [this.#nextZeroAmount(range, order), this.#nextChange(range, order)];
    const ids = candidates.filter((id) => id !== undefined);
    if (ids.length === 0) return undefined;
    return order === "asc" ? Math.min(...ids) : Math.max(...ids);
  }

  #nextZeroAmount({ from, to }: IdRange, order: Order): number | undefined {
    return this.#sql.all<{ tx: number }>(
      `${this.#statements.zeroAmount} ORDER BY tx ${order} LIMIT 1`,
      ...this.#pair,
      from,
      to,
    )[0]?.tx;
  }

  /**
   * In ascending order, the first move in a range that increases the volume; in descending order, the last move that
   * increases it.
   */
  #nextChange({ from, to }: IdRange, order: Order): number | undefined {
    const before = this.#volumeAt(from - 1);
    const last = this.#lastUpTo(to);
    if (last === undefined || last.volume === before) return undefined;
    return order === "asc"
      ? this.#firstAbove(before, this.#doublingFrom(from, last.tx, before))
      : this.#firstAbove(last.volume - 1n, this.#halvingFrom(from, last));
  }

  /** A short range, found by doubling, at whose end the volume is larger than `before` if any volume up to `to` is. */
  #doublingFrom(from: number, to: number, before: bigint): IdRange {
    let low = from;
    for (let width = STEP_MAX; low + width < to; width *= 2) {
      if (this.#volumeAt(low + width) > before) return { from: low, to: low + width };
      low += width;
    }
    return { from: low, to };
  }

  /** A short range up to `last`, found by doubling, at whose beginning the volume is smaller than after `last`. */
  #halvingFrom(from: number, last: Volume): IdRange {
    let high = last.tx;
    for (let width = STEP_MAX; high - width > from; width *= 2) {
      if (this.#volumeAt(high - width) < last.volume) return { from: high - width, to: high };
      high -= width;
    }
    return { from, to: high };
  }

  /** The first move in a range after which the volume is above `volume`, by binary search. It must be above at the end of the range. */
  #firstAbove(volume: bigint, { from, to }: IdRange): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const move = this.#lastUpTo(middle);
      if (move !== undefined && move.volume > volume) high = move.tx;
      else low = middle + 1;
    }
    return high;
  }

  #volumeAt(id: number): bigint {
    return this.#lastUpTo(id)?.volume ?? 0n;
  }

  #lastUpTo(id: number): Volume | undefined {
    const [row] = this.#sql.all<{ tx: number; volume: StoredAmount }>(
      this.#statements.last,
      ...this.#pair,
      id,
    );
    return row === undefined ? undefined : { tx: row.tx, volume: fromStored(row.volume) };
  }
}

/** The volume of the side (output of sources, input of destinations) after a move. */
interface Volume {
  readonly tx: number;
  readonly volume: bigint;
}

interface Statements {
  readonly last: string;
  readonly zeroAmount: string;
}

const statementsOf = (volume: string, zeroAmountRoles: string): Statements => ({
  last: `SELECT tx, ${volume} AS volume FROM move WHERE account = ? AND asset = ? AND tx <= ? ORDER BY tx DESC LIMIT 1`,
  zeroAmount: `SELECT tx FROM move INDEXED BY move_zero_amount WHERE account = ? AND asset = ?
    AND role >= 4 AND role IN ${zeroAmountRoles} AND tx >= ? AND tx <= ?`,
});

const STATEMENTS: Readonly<Record<Side, Statements>> = {
  source: statementsOf("output", "(5, 6)"),
  destination: statementsOf("input", "(4, 6)"),
};
