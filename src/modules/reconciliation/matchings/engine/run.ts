import type { GroupStore, NewGroup } from "./groups.ts";
import type { RunHeads, WorkingRun } from "./heads.ts";
import type { LineStore } from "./lines.ts";
import { PassKeys, type PlacedLine } from "./pass-keys.ts";
import { Reversals } from "./reversals.ts";
import type { KeyPlace, RunCursor, RunSettings } from "./settings.ts";
import { classifyBreak, referencesOf } from "#modules/reconciliation/core/breaks/classify.ts";
import {
  type Found,
  matchWindow,
  type OpenLine,
  type Pass,
  WindowBuilder,
} from "#modules/reconciliation/core/matching/index.ts";
import { assert } from "#platform/assert.ts";
import { stringifyJson } from "#platform/json.ts";
import { chunksOf, type Sql } from "#platform/sql/sql.ts";

/** Lines that one slice of work reads, but for those of the window in which it ends. */
const SLICE_LINES = 200;

/** Lines that one slice classifies, each of which may have a hundred relatives. */
const CLASSIFIED_LINES = 100;

/** Groups that one slice dissolves or settles. */
const SLICE_GROUPS = 200;

/** Lines with the reference of an open line that its class is told by. */
const RELATIVES_MAX = 100;

/**
 * Runs the passes of a matching in slices. A slice and the cursor of the next one are one transaction, so that a run that was cut off goes on
 * where it was, and no match is made twice.
 *
 *     dissolve ──▶ reconsider ──▶ offset ──▶ index ──▶ match ──▶ index ──▶ … ──▶ settle ──▶ classify
 *     proposals    └─ lines that take back ─┘ └──── first pass ──┘               ambiguous  open lines
 */
export class RunWork {
  readonly #sql: Sql;
  readonly #lines: LineStore;
  readonly #groups: GroupStore;
  readonly #heads: RunHeads;
  readonly #keys: PassKeys;
  readonly #reversals: Reversals;

  constructor(sql: Sql, stores: RunStores) {
    this.#sql = sql;
    this.#lines = stores.lines;
    this.#groups = stores.groups;
    this.#heads = stores.heads;
    this.#keys = new PassKeys(sql);
    this.#reversals = new Reversals(sql, stores);
  }

  /**
   * Works on one slice of a run. Gives whether there is more to do, and the groups whose lines are open again because the
   * other side has something better for them; the caller reopens them in the same transaction.
   */
  slice(
    run: WorkingRun,
    at: string,
  ): { readonly isMore: boolean; readonly outdated: readonly number[] } {
    const { next, outdated = [] } = this.#work(run, run.cursor);
    this.#heads.advance(run.id, next);
    if (next === undefined) this.#heads.end(run.id, at);
    return { isMore: next !== undefined, outdated };
  }

  #work(run: Run, cursor: RunCursor): Worked {
    assert(cursor.phase !== "collect", "lines are collected before a run matches them");
    switch (cursor.phase) {
      case "dissolve":
        return { next: this.#dissolve(run) };
      case "reconsider":
        return this.#reconsider(cursor.after);
      case "offset":
        return { next: this.#offset(run, cursor.after) };
      case "index":
        return { next: this.#index(run, cursor) };
      case "match":
        return { next: this.#match(run, cursor) };
      case "settle":
        return { next: this.#settle(run) };
      case "classify":
        return { next: this.#classify(run, cursor.after) };
    }
  }

  #dissolve({ settings }: Run): RunCursor {
    const states = ["candidate", "proposed"] as const;
    const groups = states.flatMap((state) => this.#groups.inState(state, SLICE_GROUPS));
    for (const group of groups) this.#groups.dissolve(group);
    this.#keys.clear();
    if (groups.length > 0) return { phase: "dissolve" };
    return this.#reversals.hasAny() ? { phase: "reconsider", after: 0 } : passFrom(settings, 0);
  }

  #reconsider(after: number): Worked {
    const { next, ids } = this.#reversals.outdated(after);
    return {
      next:
        next === undefined ? { phase: "offset", after: 0 } : { phase: "reconsider", after: next },
      outdated: ids,
    };
  }

  #offset(run: Run, after: number): RunCursor {
    const { next, groups } = this.#reversals.slice(run.id, after);
    this.#heads.add(run.id, { matched: groups.length });
    return next ?? passFrom(run.settings, 0);
  }

  #index({ settings }: Run, { pass: index, after }: RunCursor & { phase: "index" }): RunCursor {
    const pass = settings.passes[index];
    if (pass === undefined) return { phase: "settle" };
    const lines = this.#lines.unmatchedAfter(after, SLICE_LINES, ["open"]);
    const last = lines.at(-1);
    if (last === undefined) return { phase: "match", pass: index, after: null };
    this.#keys.add(pass, lines);
    return { phase: "index", pass: index, after: last.id };
  }

  #match(run: Run, { pass: index, after }: RunCursor & { phase: "match" }): RunCursor {
    const pass = run.settings.passes[index];
    if (pass === undefined) return { phase: "settle" };
    const slice = new MatchSlice(pass, after);
    for (const placed of this.#keys.after(after)) {
      if (slice.isFullBefore(placed)) break;
      slice.take(placed);
    }
    const { found, next } = slice.finish();
    this.#store(run, pass, found);
    if (next !== undefined) {
      this.#keys.clearTo(next);
      return { phase: "match", pass: index, after: next };
    }
    this.#keys.clear();
    return passFrom(run.settings, index + 1);
  }

  #store(run: Run, pass: Pass, found: readonly Found[]): void {
    const isSure = pass.confidence >= run.settings.threshold;
    const of = { run: run.id, pass: pass.name, confidence: pass.confidence };
    const kept = this.#groups.insert(
      found.flatMap(({ matches, ambiguous }): readonly NewGroup[] => [
        ...matches.map((group) => ({
          ...of,
          ...group,
          state: isSure ? ("matched" as const) : ("proposed" as const),
          isAmbiguous: false,
        })),
        ...ambiguous.map((group) => ({
          ...of,
          ...group,
          state: "candidate" as const,
          isAmbiguous: true,
        })),
      ]),
    );
    this.#heads.add(run.id, {
      matched: kept.filter(({ state }) => state === "matched").length,
      proposed: kept.filter(({ state }) => state === "proposed").length,
    });
    for (const chunk of chunksOf(found.flatMap(({ givenUp }) => givenUp.map(String)))) {
      this.#sql.all(
        "UPDATE line SET is_given_up = ? WHERE id IN (SELECT value FROM json_each(?))",
        run.id,
        `[${chunk.join(",")}]`,
      );
    }
  }

  #settle(run: Run): RunCursor {
    const candidates = this.#groups.inState("candidate", SLICE_GROUPS);
    for (const group of candidates) {
      const ids = [...group.left, ...group.right];
      if (this.#lines.areAll(ids, ["open"])) {
        this.#groups.setState(group.id, "proposed");
        this.#lines.setState(ids, "proposed", group.id);
        this.#heads.add(run.id, { proposed: 1 });
      } else this.#groups.dissolve(group);
    }
    return candidates.length > 0 ? { phase: "settle" } : { phase: "classify", after: 0 };
  }

  #classify(run: Run, after: number): RunCursor | undefined {
    const lines = this.#lines.unmatchedAfter(after, CLASSIFIED_LINES, ["open", "proposed"]);
    const last = lines.at(-1);
    if (last === undefined) return undefined;
    this.#heads.add(run.id, { unmatched: lines.length });
    const rows = lines.map((line) => {
      const found = this.#breakOf(run, line);
      return stringifyJson([line.id, found.class, found.relatedLine ?? null]);
    });
    for (const chunk of chunksOf(rows)) {
      this.#sql.all(
        `UPDATE line SET break_class = found.value ->> 1, break_related = found.value ->> 2
         FROM json_each(?) AS found WHERE line.id = found.value ->> 0`,
        `[${chunk.join(",")}]`,
      );
    }
    return { phase: "classify", after: last.id };
  }

  #breakOf({ id: run, settings }: Run, line: OpenLine) {
    const relatives = referencesOf(line).flatMap((reference) =>
      this.#lines.ofReference(reference, RELATIVES_MAX),
    );
    const twin = relatives.find(
      (other) =>
        other.side === line.side &&
        other.id !== line.id &&
        other.asset === line.asset &&
        other.amount === line.amount &&
        (!other.isOpen || other.id < line.id),
    );
    const namesakes = relatives.filter(({ side, isOpen }) => side !== line.side && isOpen);
    return classifyBreak(
      line,
      { twin: twin?.id, namesakes, isUndecided: this.#lines.isUndecided(line.id, run) },
      { today: settings.today, days: settings.timingDays, count: "businessDays" },
    );
  }
}

interface RunStores {
  readonly lines: LineStore;
  readonly groups: GroupStore;
  readonly heads: RunHeads;
}

type Run = Pick<WorkingRun, "id" | "settings">;

/** Where the next slice begins, undefined at the end, and the groups that the slice has found outdated. */
interface Worked {
  readonly next: RunCursor | undefined;
  readonly outdated?: readonly number[];
}

const passFrom = ({ passes }: RunSettings, index: number): RunCursor =>
  index < passes.length ? { phase: "index", pass: index, after: 0 } : { phase: "settle" };

/** The windows of one slice. A window is never cut, unless it is larger than the limit, in which case its lines are given up one by one. */
class MatchSlice {
  readonly #pass: Pass;
  readonly #found: Found[] = [];
  #window: WindowBuilder;
  #isGivingUp: boolean;
  #last: KeyPlace | undefined;
  #taken = 0;
  #isFull = false;

  constructor(pass: Pass, after: KeyPlace | null) {
    this.#pass = pass;
    this.#window = new WindowBuilder(pass);
    this.#isGivingUp = after?.isGivingUp ?? false;
    this.#last = after ?? undefined;
  }

  /** Whether the slice ends before a line, where a window ends. */
  isFullBefore({ key, line }: PlacedLine): boolean {
    const last = this.#last;
    const isNew = last !== undefined && (key !== last.key || this.#window.endsBefore(line));
    if (isNew) {
      this.#closeWindow();
      this.#last = { ...last, isGivingUp: false };
    }
    this.#isFull = this.#taken >= SLICE_LINES && (isNew || this.#isGivingUp);
    return this.#isFull;
  }

  take({ key, position, line }: PlacedLine): void {
    this.#taken += 1;
    this.#window.add(line);
    if (this.#window.isTooLarge) this.#isGivingUp = true;
    this.#last = { key, position, line: line.id, isGivingUp: this.#isGivingUp };
  }

  finish(): { readonly found: readonly Found[]; readonly next: KeyPlace | undefined } {
    this.#closeWindow();
    return { found: this.#found, next: this.#isFull ? this.#last : undefined };
  }

  #closeWindow(): void {
    const window = this.#window.finish();
    this.#found.push(
      this.#isGivingUp && !("tooMany" in window)
        ? matchWindow(this.#pass, {
            tooMany: [...window.left, ...window.right].map(({ id }) => id),
          })
        : matchWindow(this.#pass, window),
    );
    this.#window = new WindowBuilder(this.#pass);
    this.#isGivingUp = false;
  }
}
