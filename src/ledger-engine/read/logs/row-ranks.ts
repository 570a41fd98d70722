import type { Steps } from "#ledger-engine/read/scan/steps.ts";
import { first, type Sql } from "#platform/sql/sql.ts";

/** The number of rows between two marks: at most so many rows are counted for a rank. */
const MARK_ROWS = 1024;
/** The number of marks that a step sets. */
const MARKS_STEP = 8;

/**
 * The ranks of ids in a table of the log, whose ids only grow and whose rows are never deleted: the difference of two ranks is the number of
 * rows between. Rows are counted once, from the last row of the first call on, as far as ids were asked for; the id of every 1,024th row is kept
 * in memory as a mark, so that later ranks take a short count each:
 *
 *     marks before the anchor            anchor     marks after it
 *     ◄── 2,048 ─── 1,024 ─────────────── 0 ─────── 1,024 ──►
 *                     └─ rank of this id: 1,024 and the rows between
 */
export class RowRanks {
  readonly #sql: Sql;
  readonly #table: "tx" | "entry";
  /** The last id at the first call; undefined before. */
  #anchor: number | undefined;
  /** The ids of every 1,024th row: `#down` from the anchor on, which is the first row, `#up` after it. */
  readonly #down: number[] = [];
  readonly #up: number[] = [];

  constructor(sql: Sql, table: "tx" | "entry") {
    this.#sql = sql;
    this.#table = table;
  }

  /** Sets the marks up to an id, in steps. */
  *extendTo(id: number): Steps<undefined> {
    const anchor = this.#anchorOf();
    const isUp = id > anchor;
    const marks = isUp ? this.#up : this.#down;
    const statement = isUp
      ? `SELECT id FROM ${this.#table} WHERE id > ? ORDER BY id LIMIT 1 OFFSET ${MARK_ROWS - 1}`
      : `SELECT id FROM ${this.#table} WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET ${MARK_ROWS - 1}`;
    for (let set = 1; ; set++) {
      const last = marks.at(-1) ?? (isUp ? anchor : anchor + 1);
      if (isUp ? last >= id : last <= id) return undefined;
      const [next] = this.#sql.all<{ id: number }>(statement, last);
      if (next === undefined) return undefined;
      marks.push(next.id);
      if (set % MARKS_STEP === 0) yield;
    }
  }

  /** The rank of an id up to which marks are set; there need not be a row of this id. */
  of(id: number): number {
    const anchor = this.#anchorOf();
    return id > anchor
      ? this.#rank(this.#up, { id, from: anchor, sign: 1 })
      : -this.#rank(this.#down, { id, from: anchor + 1, sign: -1 });
  }

  /** The number of rows from the anchor to an id. `sign` is 1 if ids grow from the anchor on. */
  #rank(
    marks: readonly number[],
    { id, from, sign }: { id: number; from: number; sign: 1 | -1 },
  ): number {
    // The number of marks that are passed before the id. Going up, the id itself counts; going down, only the rows after it do.
    const isPassed = (mark: number): boolean => (sign === 1 ? mark <= id : mark > id);
    let [low, high] = [0, marks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isPassed(marks[middle] ?? id)) low = middle + 1;
      else high = middle;
    }
    const edge = marks[low - 1] ?? from;
    const [after, to] = sign === 1 ? [edge, id] : [id, edge - 1];
    const mark = marks[low];
    // If no id is missing up to the next mark, none is missing before.
    const isGapless = mark !== undefined && Math.abs(mark - edge) === MARK_ROWS;
    return low * MARK_ROWS + (isGapless ? to - after : this.#count(after, to));
  }

  /** The number of rows after an id, up to another one. */
  #count(after: number, to: number): number {
    if (to <= after) return 0;
    const rows = this.#sql.all<{ count: number }>(
      `SELECT count(*) AS count FROM ${this.#table} WHERE id > ? AND id <= ?`,
      after,
      to,
    );
    return first(rows).count;
  }

  #anchorOf(): number {
    this.#anchor ??= first(
      this.#sql.all<{ id: number }>(`SELECT coalesce(max(id), -1) AS id FROM ${this.#table}`),
    ).id;
    return this.#anchor;
  }
}
