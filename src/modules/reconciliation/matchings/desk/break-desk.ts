import {
  BREAK_EVENTS_MAX,
  type BreakChange,
  type BreakDetail,
  type BreakEvent,
  BreakWorkStore,
} from "./break-work.ts";
import { Holds } from "./holds.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import type { SourceLine } from "#modules/reconciliation/core/source-line.ts";
import { Collection } from "#modules/reconciliation/matchings/engine/collection.ts";
import { GroupStore } from "#modules/reconciliation/matchings/engine/groups.ts";
import { type DecisionAuthor, Journal } from "#modules/reconciliation/matchings/engine/journal.ts";
import {
  type LineFilter,
  LineReads,
  type ListedIds,
  type ScannedRows,
} from "#modules/reconciliation/matchings/engine/line-reads.ts";
import { LineStore } from "#modules/reconciliation/matchings/engine/lines.ts";
import { putLines } from "#modules/reconciliation/matchings/engine/put-lines.ts";
import { AppError } from "#platform/errors.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The lines of a booking, and what it was made for. */
export interface Booked {
  readonly correction: string;
  readonly side: MatchSide;
  readonly booked: readonly SourceLine[];
  readonly what: "correct" | "write_off";
  readonly by: DecisionAuthor;
}

/** A line with everything that was said and done about it, the oldest first. */
export interface BreakRecord extends BreakDetail {
  readonly events: readonly BreakEvent[];
}

/** What people do about breaks. Each method that changes something is one transaction. */
export class BreakDesk {
  readonly #sql: Sql;
  readonly #lines: LineStore;
  readonly #holds: Holds;
  readonly #work: BreakWorkStore;
  readonly #reads: LineReads;

  /** `sql` has the tables of a matching. */
  constructor(sql: Sql) {
    this.#sql = sql;
    this.#lines = new LineStore(sql);
    const groups = new GroupStore(sql, this.#lines);
    this.#holds = new Holds(sql, { lines: this.#lines, groups, journal: new Journal(sql) });
    this.#work = new BreakWorkStore(sql);
    this.#reads = new LineReads(sql);
  }

  /** Lines that are not matched, in the order of their ids. */
  list(filter: Omit<LineFilter, "state">, scan: ListedIds): ScannedRows<BreakDetail> {
    const { rows, readTo } = this.#reads.list({ ...filter, state: "unmatched" }, scan);
    return { rows: rows.map((line) => ({ ...line, work: this.#work.read(line.id) })), readTo };
  }

  find(id: number): BreakRecord | undefined {
    const line = this.#reads.find(id);
    if (line === undefined) return undefined;
    return { ...line, work: this.#work.read(id), events: this.#work.events(id) };
  }

  /** Throws `NOT_FOUND`, and `CONFLICT` for a line that is matched, or with as many events as there may be. */
  change(id: number, change: BreakChange, by: DecisionAuthor): void {
    this.#sql.transaction(() => {
      if (this.#require(id).state === "matched")
        throw new AppError("CONFLICT", `the line ${id} is matched, and no break any more`);
      this.#work.change(id, change, by);
    });
  }

  /** Throws `NOT_FOUND`, and `CONFLICT` for a line with as many events as there may be. */
  comment(id: number, text: string, by: DecisionAuthor): void {
    this.#sql.transaction(() => {
      this.#require(id);
      this.#work.comment(id, text, by);
    });
  }

  #require(id: number): { readonly state: string } {
    const line = this.#reads.find(id);
    if (line === undefined) throw new AppError("NOT_FOUND", `the matching has no line ${id}`);
    if (this.#work.isFull(id))
      throw new AppError(
        "CONFLICT",
        `the line ${id} has ${BREAK_EVENTS_MAX} comments and changes, which is the most`,
      );
    return line;
  }

  /** Holds lines for a correction. Throws `CONFLICT` where one of them is matched, or held by another correction. */
  hold(correction: string, lines: readonly number[]): void {
    this.#sql.transaction(() => this.#holds.hold(correction, lines));
  }

  /** Opens the lines of a correction, unless they are matched by now. */
  release(correction: string): void {
    this.#sql.transaction(() => this.#holds.release(correction));
  }

  /**
   * Stores the lines of a booking, and matches them with those that its correction holds. Gives the group, at a repetition that of the first
   * time. Throws `CONFLICT` where they do not add up, or are not held any more.
   */
  close({ correction, side, booked, ...rest }: Booked): number {
    return this.#sql.transaction(() => {
      const known = this.#holds.groupOf(correction);
      if (known !== undefined) return known;
      putLines(
        this.#sql,
        booked.map((line) => ({ ...line, side })),
      );
      const days = booked.map(({ day }) => day);
      if (days.length > 0) new Collection(this.#sql).addDay(side, Math.max(...days));
      const lines = booked.map(({ sourceId }) => this.#lines.idOf(side, sourceId));
      return this.#holds.close({ ...rest, correction, side, lines });
    });
  }
}
