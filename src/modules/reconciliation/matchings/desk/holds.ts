import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import type { GroupStore } from "#modules/reconciliation/matchings/engine/groups.ts";
import type { DecisionAuthor, Journal } from "#modules/reconciliation/matchings/engine/journal.ts";
import type { LineStore } from "#modules/reconciliation/matchings/engine/lines.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The confidence of a match that a booking has made. */
const CERTAIN = 100;

/** The passes of groups that bookings have closed. */
const PASSES = { correct: "correction", write_off: "write-off" } as const;

/** The lines of a booking by their ids, and what it was made for. */
export interface BookedLines {
  readonly correction: string;
  readonly side: MatchSide;
  readonly lines: readonly number[];
  readonly what: keyof typeof PASSES;
  readonly by: DecisionAuthor;
}

type HeldRow = { lines: string; line_group: number | null };

/** The lines of a correction that was given up: its row stays, so that a late repetition of an earlier step holds nothing for ever. */
const GIVEN_UP = "[]";

/**
 * Lines for which a booking is under way. Runs pass over them, and nobody matches them, until the booking is matched with them or given up.
 *
 *     open, proposed ── hold ──▶ held ── close ──▶ matched, with the lines of the booking
 *                                     ── release ▶ open
 */
export class Holds {
  readonly #sql: Sql;
  readonly #lines: LineStore;
  readonly #groups: GroupStore;
  readonly #journal: Journal;

  constructor(
    sql: Sql,
    stores: { readonly lines: LineStore; readonly groups: GroupStore; readonly journal: Journal },
  ) {
    this.#sql = sql;
    this.#lines = stores.lines;
    this.#groups = stores.groups;
    this.#journal = stores.journal;
  }

  /**
   * Holds lines, whose proposals are dissolved. Throws `CONFLICT` where one of them is matched, or held by another correction, and for a
   * correction that was given up before.
   */
  hold(correction: string, ids: readonly number[]): void {
    const row = this.#read(correction);
    if (row?.lines === GIVEN_UP)
      throw new AppError("CONFLICT", "the correction was given up, and holds no line any more");
    if (row !== undefined) return;
    if (!this.#lines.areAll(ids, ["open", "proposed"]))
      throw new AppError(
        "CONFLICT",
        "one of the lines is matched already, or another correction of it is under way",
      );
    this.#dissolve(ids);
    this.#lines.setState(ids, "held", null);
    this.#sql.all(
      "INSERT INTO held (correction, lines) VALUES (?, ?)",
      correction,
      stringifyJson(ids),
    );
  }

  /** Gives a correction up, and opens its lines, unless they are matched by now. */
  release(correction: string): void {
    const row = this.#read(correction);
    if (row !== undefined) {
      if (row.line_group !== null) return;
      this.#lines.setState(idsOf(row), "open", null);
    }
    this.#sql.all(
      "INSERT OR REPLACE INTO held (correction, lines) VALUES (?, ?)",
      correction,
      GIVEN_UP,
    );
  }

  /** The group that a correction has been closed with. */
  groupOf(correction: string): number | undefined {
    return this.#read(correction)?.line_group ?? undefined;
  }

  /**
   * Matches the lines of a correction with those of its booking, which are stored. Where a run was faster and has matched one of the latter
   * otherwise, its group is opened. Gives the group. Throws `CONFLICT` where the lines are not held any more, where a person has matched those
   * of the booking, or where they do not add up.
   */
  close({ correction, side, lines: booked, what, by }: BookedLines): number {
    const row = this.#read(correction);
    if (row === undefined || row.lines === GIVEN_UP)
      throw new AppError("CONFLICT", "the lines are not held any more: match them by hand");
    const held = idsOf(row);
    this.#free(booked, by);
    if (!this.#lines.areAll(booked, ["open"]))
      throw new AppError("CONFLICT", "the lines of the booking are matched with others already");
    const all = this.#lines.byId([...held, ...booked]);
    const left = all.filter((line) => line.side === "left");
    const right = all.filter((line) => line.side === "right");
    const open =
      left.reduce((sum, { amount }) => sum + amount, 0n) -
      right.reduce((sum, { amount }) => sum + amount, 0n);
    if (open !== 0n)
      throw new AppError(
        "CONFLICT",
        `the lines have changed: ${open} would stay open on the ${side}`,
      );
    this.#lines.setState(held, "open", null);
    this.#groups.insertByHand({
      left: left.map(({ id }) => id),
      right: right.map(({ id }) => id),
      state: "matched",
      run: 0,
      pass: PASSES[what],
      confidence: CERTAIN,
      isAmbiguous: false,
    });
    const group = this.#groups.lastId();
    this.#journal.add(what, { group, by });
    this.#sql.all("UPDATE held SET line_group = ? WHERE correction = ?", group, correction);
    return group;
  }

  #dissolve(ids: readonly number[]): void {
    for (const id of this.#lines.groupsOf(ids)) {
      const group = this.#groups.read(id);
      if (group?.state === "proposed") this.#groups.dissolve(group);
    }
  }

  /** Opens lines that a run has matched or proposed, and nobody has decided about: a booking was made for other lines than those. */
  #free(ids: readonly number[], by: DecisionAuthor): void {
    this.#dissolve(ids);
    for (const id of this.#lines.groupsOf(ids)) {
      const group = this.#groups.read(id);
      if (group === undefined || group.run === 0 || this.#journal.ofGroup(id).length > 0) continue;
      this.#groups.setState(id, "broken");
      this.#lines.setState([...group.left, ...group.right], "open", null);
      const note = "one of the lines was booked to correct another break";
      this.#journal.add("reopen", { group: id, by: { ...by, note } });
    }
  }

  #read(correction: string): HeldRow | undefined {
    const [row] = this.#sql.all<HeldRow>(
      "SELECT lines, line_group FROM held WHERE correction = ?",
      correction,
    );
    return row;
  }
}

const idsOf = ({ lines }: HeldRow): readonly number[] => parseJson(lines) as readonly number[]; // `hold` has written them
