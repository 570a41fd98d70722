import { Collection, type LinePeriod } from "./collection.ts";
import { GroupStore, type StoredGroup } from "./groups.ts";
import { RunHeads, type RunStart, type WorkingRun } from "./heads.ts";
import { type DecisionAuthor, type DecisionKind, Journal } from "./journal.ts";
import { LineStore } from "./lines.ts";
import { type NewLine, putLines } from "./put-lines.ts";
import { RunWork } from "./run.ts";
import type { RunSettings } from "./settings.ts";
import { MATCHING_TABLES } from "./tables.ts";
import type { Group } from "#modules/reconciliation/core/matching/index.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import { AppError } from "#platform/errors.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The confidence of a match that a person has made. */
const CERTAIN = 100;

/** The pass of a match that a person has made. */
export const BY_HAND = "by hand";

/** Most lines that a person matches at once. */
export const BY_HAND_LINES_MAX = 1000;

/** Lines that a person matches. */
export interface HandMatch extends Group {
  /** Whether the sums of both sides have to be equal; absent where a note is enough. */
  readonly mustAddUp?: boolean;
}

/** A page of lines that a run has collected. */
export interface CollectedPage {
  readonly side: MatchSide;
  readonly lines: readonly NewLine[];
  /** Where the next page begins; undefined while further parts of the page follow. */
  readonly position: string | undefined;
  readonly isLast: boolean;
}

/**
 * One matching: the lines of both sides, what belongs together, and why the others are open. All methods are synchronous, and each is one
 * transaction, so that two people and a run that want one line get it one after the other: the first one wins, the others get `CONFLICT`.
 */
export class MatchingEngine {
  readonly heads: RunHeads;
  readonly collection: Collection;
  readonly journal: Journal;
  readonly #sql: Sql;
  /** The present time, as a text of `Timestamp`. */
  readonly #now: () => string;
  readonly #lines: LineStore;
  readonly #groups: GroupStore;
  readonly #work: RunWork;

  constructor(sql: Sql, now: () => string) {
    MATCHING_TABLES.migrateToEnd(sql);
    this.#sql = sql;
    this.#now = now;
    this.#lines = new LineStore(sql);
    this.#groups = new GroupStore(sql, this.#lines);
    this.heads = new RunHeads(sql);
    this.collection = new Collection(sql);
    this.journal = new Journal(sql);
    this.#work = new RunWork(sql, {
      lines: this.#lines,
      groups: this.#groups,
      heads: this.heads,
    });
  }

  /** Begins a run that collects the lines of both sources first. Throws `CONFLICT` while another one works. */
  start(settings: RunSettings, period: LinePeriod, start: RunStart): number {
    return this.#sql.transaction(() => {
      const id = this.heads.begin(settings, { phase: "collect", side: "left" }, start);
      this.collection.begin(period);
      const by = { ...start, note: "" };
      this.journal.add("run", { group: 0, run: id, by });
      return id;
    });
  }

  /**
   * Stores lines of a page for the run that collects. A line that is known stays as it is; one that came before with other facts, such as a
   * payment whose amount has changed, is changed, and its match is broken and its proposal dissolved, because their sums no longer hold. So
   * are those of a line that another one takes back.
   */
  collect({ side, lines, position, isLast }: CollectedPage): void {
    this.#sql.transaction(() => {
      const run = this.heads.working();
      // Lines change only before they are matched. Another caller has stored this page already.
      if (run?.cursor.phase !== "collect" || run.cursor.side !== side) return;
      this.heads.addCollected(run.id, side, this.#put(lines, run));
      if (lines.length > 0) this.collection.addDay(side, Math.max(...lines.map(({ day }) => day)));
      if (position === undefined) return;
      this.collection.setPosition(side, position);
      this.heads.clearFailures(run.id);
      if (isLast)
        this.heads.advance(
          run.id,
          side === "left" ? { phase: "collect", side: "right" } : { phase: "dissolve" },
        );
    });
  }

  /** The number of lines of both sides. No line is ever removed. */
  lineCount(): number {
    return this.#lines.lastId();
  }

  /** Stores lines. Gives the number of those that are new or were changed. */
  #put(lines: readonly NewLine[], run: WorkingRun): number {
    const { added, changed, corrected } = putLines(this.#sql, lines);
    for (const id of this.#lines.groupsOf(changed))
      this.#reopen(id, run, "its source has changed one of the lines");
    for (const id of this.#lines.groupsOf(corrected))
      this.#reopen(id, run, "its source has taken back one of the lines");
    return added.length + changed.length;
  }

  #reopen(id: number, run: WorkingRun, note: string): void {
    const group = this.#groups.read(id);
    if (group === undefined) return;
    if (group.state === "proposed") return this.#groups.dissolve(group);
    this.#groups.setState(id, "broken");
    this.#lines.setState([...group.left, ...group.right], "open", null);
    const by = { at: this.#now(), principal: run.principal, request: `run ${run.id}`, note };
    this.journal.add("reopen", { group: id, run: run.id, by });
  }

  /** Works on one slice of the run that has collected its lines. Gives whether there is more to do. */
  work(): boolean {
    return this.#sql.transaction(() => {
      const run = this.heads.working();
      if (run === undefined) return false;
      const { isMore, outdated } = this.#work.slice(run, this.#now());
      for (const id of outdated)
        this.#reopen(id, run, "the other side has taken back its line, too");
      return isMore;
    });
  }

  /** Notes that the present page of the run that works could not be read. */
  addFailure(): void {
    const run = this.heads.working();
    if (run !== undefined) this.heads.addFailure(run.id);
  }

  /** Ends the run that works, because its source cannot be read, in a sentence. The next run goes on where it was. */
  fail(error: string): void {
    this.#sql.transaction(() => {
      const run = this.heads.working();
      if (run !== undefined) this.heads.fail(run.id, error, this.#now());
    });
  }

  /** Makes a proposal a match. Throws `CONFLICT` if it is no proposal any more, or several combinations of its lines fit. */
  confirm(id: number, by: DecisionAuthor): void {
    this.#sql.transaction(() => {
      const group = this.#groupIn(id, "proposed");
      if (group.isAmbiguous) {
        throw new AppError(
          "CONFLICT",
          `several combinations of the lines of group ${id} fit: make the match by hand with the lines that belong together`,
        );
      }
      this.#groups.setState(id, "matched");
      this.#lines.setState([...group.left, ...group.right], "matched", id);
      this.journal.add("confirm", { group: id, by });
    });
  }

  /** Opens the lines of a proposal, which is not made again. */
  decline(id: number, by: DecisionAuthor): void {
    this.#open(id, { from: "proposed", to: "declined", what: "decline" }, by);
  }

  /** Opens the lines of a match, which is not made again by a run. */
  breakUp(id: number, by: DecisionAuthor): void {
    this.#open(id, { from: "matched", to: "broken", what: "break" }, by);
  }

  #open(
    id: number,
    {
      from,
      to,
      what,
    }: {
      readonly from: "proposed" | "matched";
      readonly to: "declined" | "broken";
      readonly what: DecisionKind;
    },
    by: DecisionAuthor,
  ): void {
    this.#sql.transaction(() => {
      this.#groups.decline(this.#groupIn(id, from), to);
      this.journal.add(what, { group: id, by });
    });
  }

  /**
   * Matches lines by hand, and gives the id of their group. Proposals that have one of them are dissolved. Throws `VALIDATION` for lines that
   * are not of both sides, each of its own, and `CONFLICT` if a line is matched already.
   */
  matchByHand({ mustAddUp = false, ...group }: HandMatch, by: DecisionAuthor): number {
    return this.#sql.transaction(() => {
      const ids = [...group.left, ...group.right];
      this.#assertSides(group);
      if (!this.#lines.areAll(ids, ["open", "proposed"]))
        throw new AppError("CONFLICT", "one of the lines is matched already");
      this.#assertSums(ids, { mustAddUp, by });
      for (const id of this.#lines.groupsOf(ids)) {
        const proposal = this.#groups.read(id);
        if (proposal !== undefined) this.#groups.dissolve(proposal);
      }
      this.#groups.insertByHand({
        ...group,
        state: "matched",
        run: 0,
        pass: BY_HAND,
        confidence: CERTAIN,
        isAmbiguous: false,
      });
      const id = this.#groups.lastId();
      this.journal.add("match", { group: id, by });
      return id;
    });
  }

  #assertSides({ left, right }: Group): void {
    if (left.length === 0 || right.length === 0)
      throw new AppError("VALIDATION", "a match needs a line of each side");
    if (left.length + right.length > BY_HAND_LINES_MAX)
      throw new AppError("VALIDATION", `a match by hand has at most ${BY_HAND_LINES_MAX} lines`);
    if (this.#lines.areOf("left", left) && this.#lines.areOf("right", right)) return;
    throw new AppError(
      "VALIDATION",
      "a line does not exist, stands twice, or is of the other side",
    );
  }

  /** A difference is explained by a note, and where it has to be written off by two people, it is not hidden in a match. */
  #assertSums(
    ids: readonly number[],
    { mustAddUp, by }: { readonly mustAddUp: boolean; readonly by: DecisionAuthor },
  ): void {
    const lines = this.#lines.byId(ids);
    if (new Set(lines.map(({ asset }) => asset)).size > 1)
      throw new AppError("VALIDATION", "lines of different assets do not belong together");
    const difference = lines.reduce(
      (sum, { side, amount }) => sum + (side === "left" ? amount : -amount),
      0n,
    );
    if (difference === 0n || (by.note.trim() !== "" && !mustAddUp)) return;
    throw new AppError(
      "VALIDATION",
      mustAddUp
        ? `the sides differ by ${difference}: write the difference off, because FLORIN_RECONCILIATION_FOUR_EYES is set`
        : `the sides differ by ${difference}: say in the note why they belong together`,
    );
  }

  #groupIn(id: number, state: "proposed" | "matched"): StoredGroup {
    const group = this.#groups.read(id);
    if (group?.state === state) return group;
    if (group !== undefined)
      throw new AppError("CONFLICT", `group ${id} is ${group.state}, and not ${state}`);
    if (id <= this.#groups.lastId())
      throw new AppError(
        "CONFLICT",
        `group ${id} is gone, because its lines were matched otherwise or a run makes proposals anew`,
      );
    throw new AppError("NOT_FOUND", `there is no group ${id}`);
  }
}
