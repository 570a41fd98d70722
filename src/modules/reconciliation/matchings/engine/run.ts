import type { GroupStore, NewGroup } from "./groups.ts";
import type { LineStore } from "./lines.ts";
import { PassKeys, type PlacedLine } from "./pass-keys.ts";
import { type KeyPlace, type RunCursor, type RunSettings, settingsOf } from "./settings.ts";
import { classifyBreak, referencesOf } from "#modules/reconciliation/core/breaks/classify.ts";
import {
  blockingKey,
  type Found,
  matchWindow,
  type OpenLine,
  type Pass,
  WindowBuilder,
} from "#modules/reconciliation/core/matching/index.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { chunksOf, type Sql } from "#platform/sql/sql.ts";

/** Lines that one slice of work reads, but for those of the window in which it ends. */
const SLICE_LINES = 2_000;

/** Groups that one slice dissolves or settles. */
const SLICE_GROUPS = 500;

/** Lines with the reference of an open line that its class is told by. */
const RELATIVES_MAX = 100;

/**
 * Runs the passes of a matching in slices. A slice and the cursor of the next one are one transaction, so that a run that was cut off goes on
 * where it was, and no match is made twice.
 *
 *     dissolve ──▶ index ──▶ match ──▶ index ──▶ match ──▶ … ──▶ settle ──▶ classify
 *     proposals    └──── first pass ──┘ └──── second pass ──┘    ambiguous  open lines
 */
export class RunWork {
  readonly #sql: Sql;
  readonly #lines: LineStore;
  readonly #groups: GroupStore;
  readonly #keys: PassKeys;

  constructor(sql: Sql, stores: { readonly lines: LineStore; readonly groups: GroupStore }) {
    this.#sql = sql;
    this.#lines = stores.lines;
    this.#groups = stores.groups;
    this.#keys = new PassKeys(sql);
  }

  /** Works on one slice of the last run. Returns whether there is more to do. */
  slice(): boolean {
    return this.#sql.transaction(() => {
      const [row] = this.#sql.all<{ id: number; settings: string; cursor: string | null }>(
        "SELECT id, settings, cursor FROM run ORDER BY id DESC LIMIT 1",
      );
      if (row === undefined || row.cursor === null) return false;
      const cursor = parseJson(row.cursor) as RunCursor; // The slice before has written it.
      const run = { id: row.id, settings: settingsOf(row.settings) };
      const next = this.#work(run, cursor);
      this.#sql.all(
        "UPDATE run SET cursor = ? WHERE id = ?",
        next === undefined ? null : stringifyJson(next),
        row.id,
      );
      return next !== undefined;
    });
  }

  #work(run: Run, cursor: RunCursor): RunCursor | undefined {
    switch (cursor.phase) {
      case "dissolve":
        return this.#dissolve(run);
      case "index":
        return this.#index(run, cursor);
      case "match":
        return this.#match(run, cursor);
      case "settle":
        return this.#settle();
      case "classify":
        return this.#classify(run, cursor.after);
    }
  }

  #dissolve({ settings }: Run): RunCursor {
    const states = ["candidate", "proposed"] as const;
    const groups = states.flatMap((state) => this.#groups.inState(state, SLICE_GROUPS));
    for (const group of groups) this.#groups.dissolve(group);
    this.#keys.clear();
    return groups.length > 0 ? { phase: "dissolve" } : passFrom(settings, 0);
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
      if (blockingKey(pass, placed.line) !== placed.key) continue; // Its source has changed the line since it got the key.
      if (slice.isFullBefore(placed)) break;
      slice.take(placed);
    }
    const { found, next } = slice.finish();
    this.#store(run, pass, found);
    if (next !== undefined) return { phase: "match", pass: index, after: next };
    this.#keys.clear();
    return passFrom(run.settings, index + 1);
  }

  #store(run: Run, pass: Pass, found: readonly Found[]): void {
    const isSure = pass.confidence >= run.settings.threshold;
    const of = { run: run.id, pass: pass.name, confidence: pass.confidence };
    this.#groups.insert(
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
    for (const chunk of chunksOf(found.flatMap(({ givenUp }) => givenUp.map(String)))) {
      this.#sql.all(
        "UPDATE line SET is_given_up = ? WHERE id IN (SELECT value FROM json_each(?))",
        run.id,
        `[${chunk.join(",")}]`,
      );
    }
  }

  #settle(): RunCursor {
    const candidates = this.#groups.inState("candidate", SLICE_GROUPS);
    for (const group of candidates) {
      const ids = [...group.left, ...group.right];
      if (this.#lines.areAll(ids, ["open"])) {
        this.#groups.setState(group.id, "proposed");
        this.#lines.setState(ids, "proposed", group.id);
      } else this.#groups.dissolve(group);
    }
    return candidates.length > 0 ? { phase: "settle" } : { phase: "classify", after: 0 };
  }

  #classify(run: Run, after: number): RunCursor | undefined {
    const lines = this.#lines.unmatchedAfter(after, SLICE_LINES, ["open", "proposed"]);
    const last = lines.at(-1);
    if (last === undefined) return undefined;
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

interface Run {
  readonly id: number;
  readonly settings: RunSettings;
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
