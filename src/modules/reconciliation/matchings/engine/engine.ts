import { GroupStore, type StoredGroup } from "./groups.ts";
import { LineStore, type NewLine } from "./lines.ts";
import { RunWork } from "./run.ts";
import { type RunSettings, settingsText } from "./settings.ts";
import { MATCHING_STEPS } from "./tables.ts";
import type { Group } from "#modules/reconciliation/core/matching/index.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { TableSteps } from "#platform/sql/table-steps.ts";

/** The confidence of a match that a person has made. */
const CERTAIN = 100;

/**
 * One matching: the lines of both sides, what belongs together, and why the others are open. All methods are synchronous, and each is one
 * transaction, so that two people and a run that want one line get it one after the other: the first one wins, the others get `CONFLICT`.
 */
export class MatchingEngine {
  readonly #sql: Sql;
  readonly #lines: LineStore;
  readonly #groups: GroupStore;
  readonly #work: RunWork;

  constructor(sql: Sql) {
    new TableSteps("the matching", MATCHING_STEPS).migrateToEnd(sql);
    this.#sql = sql;
    this.#lines = new LineStore(sql);
    this.#groups = new GroupStore(sql, this.#lines);
    this.#work = new RunWork(sql, { lines: this.#lines, groups: this.#groups });
  }

  /**
   * Stores lines of a source. A line that is known stays as it is; one that came before with other facts, such as a payment that was
   * refunded, is changed, and its match is broken and its proposal dissolved, because their sums no longer hold.
   */
  put(lines: readonly NewLine[]): { readonly added: number; readonly changed: number } {
    return this.#sql.transaction(() => {
      const { added, changed } = this.#lines.put(lines);
      for (const id of this.#lines.groupsOf(changed)) this.#reopen(id);
      return { added, changed: changed.length };
    });
  }

  #reopen(id: number): void {
    const group = this.#groups.read(id);
    if (group === undefined) return;
    if (group.state === "proposed") this.#groups.dissolve(group);
    else {
      this.#groups.setState(id, "broken");
      this.#lines.setState([...group.left, ...group.right], "open", null);
    }
  }

  /** Begins a run. Throws `CONFLICT` while another one works. */
  start(settings: RunSettings): number {
    return this.#sql.transaction(() => {
      if (this.#sql.all("SELECT 1 FROM run WHERE cursor IS NOT NULL").length > 0)
        throw new AppError("CONFLICT", "a run of this matching has not ended yet");
      const [run] = this.#sql.all<{ id: number }>(
        "INSERT INTO run (settings, cursor) VALUES (?, ?) RETURNING id",
        settingsText(settings),
        stringifyJson({ phase: "dissolve" }),
      );
      return run?.id ?? 0;
    });
  }

  /** Works on one slice of the run that has begun. Returns whether there is more to do. */
  work(): boolean {
    return this.#work.slice();
  }

  /** Makes a proposal a match. Throws `CONFLICT` if it is no proposal any more, or several combinations of its lines fit. */
  confirm(id: number): void {
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
    });
  }

  /** Opens the lines of a proposal, which is not made again. */
  decline(id: number): void {
    this.#sql.transaction(() => this.#groups.decline(this.#groupIn(id, "proposed"), "declined"));
  }

  /** Opens the lines of a match, which is not made again by a run. */
  breakUp(id: number): void {
    this.#sql.transaction(() => this.#groups.decline(this.#groupIn(id, "matched"), "broken"));
  }

  /**
   * Matches lines by hand. Proposals that have one of them are dissolved. Throws `VALIDATION` for lines that are not of both sides, each of its
   * own, and `CONFLICT` if a line is matched already.
   */
  matchByHand(group: Group): number {
    return this.#sql.transaction(() => {
      const ids = [...group.left, ...group.right];
      this.#assertSides(group);
      if (!this.#lines.areAll(ids, ["open", "proposed"]))
        throw new AppError("CONFLICT", "one of the lines is matched already");
      for (const id of this.#lines.groupsOf(ids)) {
        const proposal = this.#groups.read(id);
        if (proposal !== undefined) this.#groups.dissolve(proposal);
      }
      this.#groups.insertByHand({
        ...group,
        state: "matched",
        run: 0,
        pass: "by hand",
        confidence: CERTAIN,
        isAmbiguous: false,
      });
      return this.#lines.groupsOf(ids)[0] ?? 0;
    });
  }

  #assertSides({ left, right }: Group): void {
    if (left.length === 0 || right.length === 0)
      throw new AppError("VALIDATION", "a match needs a line of each side");
    if (this.#lines.areOf("left", left) && this.#lines.areOf("right", right)) return;
    throw new AppError(
      "VALIDATION",
      "a line does not exist, stands twice, or is of the other side",
    );
  }

  #groupIn(id: number, state: "proposed" | "matched"): StoredGroup {
    const group = this.#groups.read(id);
    if (group === undefined) throw new AppError("NOT_FOUND", `there is no group ${id}`);
    if (group.state === state) return group;
    throw new AppError("CONFLICT", `group ${id} is ${group.state}, and not ${state}`);
  }
}
