import { DurableObject } from "cloudflare:workers";
import { copyToDatabase } from "./copies.ts";
import { MatchingDriver } from "./driver.ts";
import { matchingRestoration } from "./matching-restoration.ts";
import type { PartialSum } from "#modules/reconciliation/core/closing/close-report.ts";
import type { Group } from "#modules/reconciliation/core/matching/index.ts";
import {
  BreakDesk,
  type Booked,
  type BreakRecord,
} from "#modules/reconciliation/matchings/desk/break-desk.ts";
import type {
  BreakChange,
  BreakDetail,
} from "#modules/reconciliation/matchings/desk/break-work.ts";
import {
  type BreakSum,
  LineSums,
  type SumSlice,
} from "#modules/reconciliation/matchings/desk/sums.ts";
import { VersionedSql } from "#modules/reconciliation/matchings/desk/versioned-sql.ts";
import type { LinePeriod } from "#modules/reconciliation/matchings/engine/collection.ts";
import { type HandMatch, MatchingEngine } from "#modules/reconciliation/matchings/engine/engine.ts";
import {
  type GroupDetail,
  type GroupFilter,
  GroupReads,
} from "#modules/reconciliation/matchings/engine/group-reads.ts";
import type { StoredGroup } from "#modules/reconciliation/matchings/engine/groups.ts";
import type { RunHead, RunStart } from "#modules/reconciliation/matchings/engine/heads.ts";
import type { DecisionAuthor } from "#modules/reconciliation/matchings/engine/journal.ts";
import {
  type ListedIds,
  type LineDetail,
  type LineFilter,
  LineReads,
  type ScannedRows,
} from "#modules/reconciliation/matchings/engine/line-reads.ts";
import {
  type PreviewPage,
  PreviewReads,
} from "#modules/reconciliation/matchings/engine/preview-reads.ts";
import type { RunSettings } from "#modules/reconciliation/matchings/engine/settings.ts";
import { present } from "#platform/assert.ts";
import { type CopyStep, ObjectCopy } from "#platform/backup/object-copy.ts";
import type { ObjectRestoration, ObjectRestoreStep } from "#platform/backup/object-restoration.ts";
import { systemClock } from "#platform/clock.ts";
import { systemContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import { attempt, type Result } from "#platform/result.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { hasSteps } from "#platform/sql/table-steps.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";

/** A run that is asked for. */
export interface RunRequest {
  readonly matchingId: string;
  readonly settings: RunSettings;
  readonly period: LinePeriod;
  readonly start: RunStart;
}

/** Lines that a correction holds. */
export interface HeldLines {
  readonly correction: string;
  readonly lines: readonly number[];
}

/** Sums of a slice. Slices of one version belong together. */
export interface CloseSlice extends SumSlice<PartialSum> {
  readonly version: string;
  /** Whether a run works, which changes lines all the time. */
  readonly isWorking: boolean;
}

/** A person's decision about a group. */
export interface GroupDecision {
  readonly what: "confirm" | "decline" | "break";
  readonly group: number;
  readonly by: DecisionAuthor;
}

/**
 * The object of one matching: its lines, groups and runs. The matching itself is in D1, and so are copies of the heads of runs and of
 * decisions, which the object sends there.
 *
 *     API ─── start, decide, list ──► MatchingObject ──► MatchingEngine ──► SQL
 *     alarm: work ─── pages of lines ──────┤ ◄── sources
 *     alarm: copy ─── heads, audit ────────┴──► D1
 *
 * | A kill after | leaves | and then |
 * | --- | --- | --- |
 * | a run has begun | its row, and an alarm | The alarm works. |
 * | a page was read | the position before it | The page is read again; lines that are known are not stored twice. |
 * | a slice of matching | the cursor of the next slice, in the same transaction | The alarm goes on with the next slice. |
 * | a decision | its row, and an alarm | The alarm copies it into the audit; D1 knows the last decision that it has. |
 */
export class MatchingObject extends DurableObject<Env> {
  readonly #tableCopy: ObjectCopy;
  readonly #restoration: ObjectRestoration;
  readonly #sql: VersionedSql;
  readonly #alarms: Alarms<"work" | "copy">;
  readonly #driver: MatchingDriver;
  #opened: MatchingEngine | undefined;
  #copying: Promise<void> | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = new VersionedSql(durableSql(ctx.storage));
    this.#tableCopy = new ObjectCopy(durableSql(ctx.storage));
    this.#restoration = matchingRestoration(env, {
      sql: this.#sql,
      engine: () => this.#engine(),
      matchingId: () => this.#matchingId(),
      goOn: () => this.#alarms.set("copy", Date.now()),
    });
    this.#alarms = new Alarms(ctx.storage, {
      work: () => this.#driver.work(),
      copy: () => this.#copy(),
    });
    this.#driver = new MatchingDriver({
      env,
      engine: () => this.#engine(),
      matchingId: () => this.#matchingId(),
      goOnAt: (atMs) => this.#alarms.set("work", atMs),
      changed: () => this.#copySoon(),
      empty: () => this.empty(),
    });
    void ctx.blockConcurrencyWhile(async () => this.#alarms.inherit(await ctx.storage.getAlarm()));
  }

  /** Copies the tables for a backup. */
  async copyTables(step: CopyStep): ReturnType<ObjectCopy["step"]> {
    return this.#tableCopy.step(step);
  }

  /** Takes the tables of a backup. */
  async restoreTables(step: ObjectRestoreStep): ReturnType<ObjectRestoration["step"]> {
    return this.#restoration.step(step);
  }

  /** Begins a run, which works by itself from then on. Fails with `CONFLICT` while another one works. */
  async start({ matchingId, settings, period, start }: RunRequest): Promise<Result<RunHead>> {
    const result = attempt(() => {
      const engine = this.#create(matchingId);
      const id = engine.start(settings, period, start);
      this.#alarms.set("work", Date.now());
      this.#alarms.set("copy", Date.now());
      return present(engine.heads.find(id), "a run that has begun has a head");
    });
    if (result.ok) await this.#tryCopy();
    return result;
  }

  /** What a run has done so far; undefined for one that does not exist. */
  runHead(number: number): RunHead | undefined {
    return this.#engine()?.heads.find(number);
  }

  /** The last day that a line has had, undefined without lines, and whether a run collects lines. */
  extent(): { readonly lastDay: number | undefined; readonly isCollecting: boolean } {
    const engine = this.#engine();
    return {
      lastDay: engine?.collection.lastDay(),
      isCollecting: engine?.heads.working()?.cursor.phase === "collect",
    };
  }

  /** Decides about a group. Fails with `NOT_FOUND`, and with `CONFLICT` if somebody else or a run was first. */
  decide({ what, group, by }: GroupDecision): Result<GroupDetail> {
    return this.#changed((engine) => {
      switch (what) {
        case "confirm":
          engine.confirm(group, by);
          break;
        case "decline":
          engine.decline(group, by);
          break;
        case "break":
          engine.breakUp(group, by);
          break;
      }
      return group;
    });
  }

  /** Matches lines by hand. Fails with `VALIDATION`, and with `CONFLICT` if one of the lines is matched already. */
  matchByHand(group: HandMatch, by: DecisionAuthor): Result<GroupDetail> {
    return this.#changed((engine) => engine.matchByHand(group, by));
  }

  /** A page of groups. */
  groups(filter: GroupFilter, scan: ListedIds): ScannedRows<StoredGroup> {
    const engine = this.#engine();
    return engine === undefined ? NO_ROWS : new GroupReads(this.#sql, engine).list(filter, scan);
  }

  group(id: number): GroupDetail | undefined {
    const engine = this.#engine();
    return engine === undefined ? undefined : new GroupReads(this.#sql, engine).find(id);
  }

  /** A page of lines. */
  lines(filter: LineFilter, scan: ListedIds): ScannedRows<LineDetail> {
    return this.#engine() === undefined ? NO_ROWS : new LineReads(this.#sql).list(filter, scan);
  }

  line(id: number): LineDetail | undefined {
    return this.#engine() === undefined ? undefined : new LineReads(this.#sql).find(id);
  }

  /** Holds lines for a correction, once. Fails with `NOT_FOUND` without lines, and with `CONFLICT` if another one was first. */
  hold({ correction, lines }: HeldLines): Result<void> {
    return attempt(() => this.#desk().hold(correction, lines));
  }

  /** Opens the lines of a correction. Releasing lines that are not held does nothing. */
  release(correction: string): Result<void> {
    return attempt(() =>
      this.#engine() === undefined ? undefined : this.#desk().release(correction),
    );
  }

  /** Matches the lines of a correction with those of its booking. Fails with `CONFLICT` where they do not add up. */
  close(booked: Booked): Result<number> {
    return attempt(() => {
      const group = this.#desk().close(booked);
      this.#copySoon();
      return group;
    });
  }

  /** A page of breaks. */
  breaks(filter: Omit<LineFilter, "state">, scan: ListedIds): ScannedRows<BreakDetail> {
    return this.#engine() === undefined ? NO_ROWS : this.#desk().list(filter, scan);
  }

  breakOf(line: number): BreakRecord | undefined {
    return this.#engine() === undefined ? undefined : this.#desk().find(line);
  }

  /** Changes the status or the assignee of a break. Fails with `NOT_FOUND` and `CONFLICT`. */
  changeBreak(line: number, change: BreakChange, by: DecisionAuthor): Result<void> {
    return attempt(() => this.#desk().change(line, change, by));
  }

  /** Adds a comment. Fails with `NOT_FOUND` and `CONFLICT`. */
  commentBreak(line: number, text: string, by: DecisionAuthor): Result<void> {
    return attempt(() => this.#desk().comment(line, text, by));
  }

  /** The sums of a slice of the lines for the close of a period, and the version of the matching to which they belong. */
  closeSums(after: number, period: { readonly from: number; readonly to: number }): CloseSlice {
    const engine = this.#engine();
    const isWorking = engine?.heads.working() !== undefined;
    const slice = engine === undefined ? NO_SUMS : new LineSums(this.#sql).close(after, period);
    return { ...slice, isWorking, version: this.#sql.version };
  }

  /** The sums of a slice of the breaks, by class and age at a day. */
  breakSums(after: number, today: number): SumSlice<BreakSum> {
    return this.#engine() === undefined ? NO_SUMS : new LineSums(this.#sql).breaks(after, today);
  }

  /** Lines below an id that other passes might match otherwise, the newest first. */
  previewPage(below: number, limit: number): PreviewPage {
    return this.#engine() === undefined ? NO_LINES : new PreviewReads(this.#sql).page(below, limit);
  }

  /** Those of some groups that a person has declined or broken, by their places. */
  declinedAmong(groups: readonly Group[]): readonly number[] {
    return this.#engine() === undefined ? [] : new PreviewReads(this.#sql).declined(groups);
  }

  /** Removes all that the object holds. D1 gets the decisions that it does not know before. Emptying an empty object does nothing. */
  async empty(): Promise<void> {
    if (this.#engine() === undefined) return;
    await this.#copy();
    this.#opened = undefined;
    this.#alarms.clear();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    if (await isPutOff(this.ctx.storage, this.env)) return;
    await this.#alarms.ring();
  }

  #changed(change: (engine: MatchingEngine) => number): Result<GroupDetail> {
    return attempt(() => {
      const engine = this.#engine();
      if (engine === undefined)
        throw new AppError("NOT_FOUND", "the matching has no groups before its first run");
      const id = change(engine);
      this.#copySoon();
      return present(
        new GroupReads(this.#sql, engine).find(id),
        "a group that was decided about is kept",
      );
    });
  }

  /** Throws `NOT_FOUND` before the first run. */
  #desk(): BreakDesk {
    if (this.#engine() === undefined)
      throw new AppError("NOT_FOUND", "the matching has no lines before its first run");
    return new BreakDesk(this.#sql);
  }

  /** The engine; undefined before the first run. */
  #engine(): MatchingEngine | undefined {
    if (this.#opened === undefined && hasSteps(this.#sql)) this.#opened = this.#open();
    return this.#opened;
  }

  #create(matchingId: string): MatchingEngine {
    this.#opened ??= this.#open();
    this.#sql.all("INSERT OR IGNORE INTO matching (id) VALUES (?)", matchingId);
    return this.#opened;
  }

  #open(): MatchingEngine {
    return new MatchingEngine(this.#sql, systemClock);
  }

  #matchingId(): string {
    const [row] = this.#sql.all<{ id: string }>("SELECT id FROM matching");
    return present(row, "a matching with a run has stored its id").id;
  }

  /** Sends D1 what it does not know yet, after this turn, and by an alarm if that fails. */
  #copySoon(): void {
    this.#alarms.set("copy", Date.now());
    this.ctx.waitUntil(this.#tryCopy());
  }

  async #tryCopy(): Promise<void> {
    try {
      await this.#copy();
    } catch (error) {
      logError("what a matching has done could not be copied; the alarm repeats it", error);
    }
  }

  /** Sends D1 what it does not know yet. A call that comes meanwhile waits, and sends the rest. */
  async #copy(): Promise<void> {
    while (this.#copying !== undefined) await this.#copying;
    const engine = this.#engine();
    if (engine === undefined) return;
    this.#copying = copyToDatabase(systemContext(this.env, "matching"), this.#matchingId(), engine);
    try {
      await this.#copying;
    } finally {
      this.#copying = undefined;
    }
  }
}

const NO_LINES: PreviewPage = { lines: [], groups: [], next: undefined };
const NO_ROWS = { rows: [], readTo: undefined } as const;
const NO_SUMS = { sums: [], next: undefined } as const;
