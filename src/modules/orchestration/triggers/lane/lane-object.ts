import { DurableObject } from "cloudflare:workers";
import { evaluateTurn, type FailedFilter } from "./evaluate.ts";
import { storeFailedFilters } from "./failed-filters.ts";
import { triggerLaneRestoration } from "./lane-restoration.ts";
import { TriggerLaneStore, type TriggerFigures, type WaitingEvent } from "./lane-store.ts";
import { LANE_TABLES } from "./tables.ts";
import { type BudgetState, type Rate, refilled, waitMsOf } from "./token-bucket.ts";
import { orchestrationSettings } from "#modules/orchestration/settings.ts";
import { announceOccurrences } from "#modules/orchestration/triggers/announce.ts";
import type { LaneEvent } from "#modules/orchestration/triggers/lane-event.ts";
import { currentTriggers } from "#modules/orchestration/triggers/matching/catalogue.ts";
import { storeOccurrences } from "#modules/orchestration/triggers/occurrences.ts";
import { type CopyStep, ObjectCopy } from "#platform/backup/object-copy.ts";
import type { ObjectRestoration, ObjectRestoreStep } from "#platform/backup/object-restoration.ts";
import { systemContext } from "#platform/context.ts";
import { log, logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { isBeingRestored } from "#platform/sql/table-steps.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { DutyCycle } from "#platform/work/duty-cycle.ts";

/** Most events that wait in a lane. The lane refuses further events, which D1 keeps, and the figures of their triggers count them. */
const EVENTS_WAITING_MAX = 100_000;
/** Most events that one turn reads. Each has half a million characters at most. */
const EVENTS_PER_TURN = 50;
/** How long after events come the alarm rings, for work that a crash has cut off, in milliseconds. */
const LOOK_AFTER_MS = 5000;
/** The time for which an owner's unused budget is saved up, in seconds. */
const BURST_SECONDS = 5;
/** How often a filter that fails gets an occurrence, in milliseconds. The figures count all failures. */
const FAILURE_SHOWN_MS = 3_600_000;

/** The turns that all lanes of an isolate take with each other and with everything else. */
const dutyCycleOf = memoByEnv((_env: object) => new DutyCycle());

/** The steps that were spent beyond earlier draws, and the most that are wanted in advance. */
export interface DrawCall {
  readonly debt: number;
  readonly most: number;
}

/** Steps that may be spent outside of the lane, or, where there are none, how long to wait for some, in milliseconds. */
export interface Draw {
  readonly granted: number;
  readonly waitMs: number;
}

/** Figures of one trigger, and the budget that it shares with the other triggers of its owner. */
export interface LaneFigures extends TriggerFigures {
  /** Steps that are left in the budget; below zero where the last evaluation took more than were left. */
  readonly budgetLeft: number;
}

/**
 * Evaluates the filters of all triggers of one owner, in the order of events, so that filters with many steps delay only triggers of the
 * same owner. An event that is accepted is stored here until each of its filters is evaluated and the occurrences are stored in D1.
 *
 * | A kill after | leaves | and then |
 * | --- | --- | --- |
 * | an event is accepted | the event's row, and an alarm | The alarm evaluates the filters. |
 * | filters are evaluated | the event's row, and an alarm | The alarm evaluates the filters again. |
 * | occurrences are stored | the event's row, and an alarm | The filters are evaluated again; D1 has the occurrences already, each once for a trigger and event. |
 * | the turn is settled | rows of filters that are left | The alarm goes on. |
 */
export class TriggerLaneObject extends DurableObject<Env> {
  readonly #tableCopy: ObjectCopy;
  readonly #restoration: ObjectRestoration;
  readonly #store: TriggerLaneStore;
  readonly #alarms: Alarms<"evaluate">;
  #isRunning = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const sqlite = durableSql(ctx.storage);
    if (!isBeingRestored(sqlite)) LANE_TABLES.migrateToEnd(sqlite);
    this.#store = new TriggerLaneStore(sqlite);
    this.#tableCopy = new ObjectCopy(sqlite);
    this.#restoration = triggerLaneRestoration(env, sqlite, () =>
      this.#alarms.set("evaluate", Date.now()),
    );
    this.#alarms = new Alarms(ctx.storage, { evaluate: () => this.#run() });
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

  /** Stores events, and has their filters evaluated without waiting for the results. Returns false where too many events wait already. */
  accept(events: readonly LaneEvent[]): boolean {
    const isFull = this.#store.count() + events.length > EVENTS_WAITING_MAX;
    if (isFull) {
      log("warn", "a lane of triggers is full; the database keeps events", {
        count: events.length,
      });
      this.#store.refuse(events);
    } else {
      this.#store.add(events, Date.now());
    }
    if (!this.#alarms.isSet("evaluate")) this.#alarms.set("evaluate", Date.now() + LOOK_AFTER_MS);
    this.ctx.waitUntil(this.#runNow());
    return !isFull;
  }

  /** Takes a debt from the budget, and at most `most` steps in advance, for expressions that are evaluated elsewhere. */
  draw({ debt, most }: DrawCall): Draw {
    const atMs = Date.now();
    const { steps } = refilled(this.#store.budget(), this.#rate(), atMs);
    const left = steps - debt;
    const granted = Math.min(Math.max(0, left), most);
    this.#store.setBudget({ steps: left - granted, atMs });
    return { granted, waitMs: granted > 0 ? 0 : waitMsOf({ steps: left, atMs }, this.#rate()) };
  }

  figures(trigger: number): LaneFigures {
    const { steps } = refilled(this.#store.budget(), this.#rate(), Date.now());
    return { ...this.#store.figures(trigger), budgetLeft: steps };
  }

  override async alarm(): Promise<void> {
    if (await isPutOff(this.ctx.storage, this.env)) return;
    await this.#alarms.ring();
  }

  /** Evaluates filters. Never throws: after a failure, the alarm goes on. */
  async #runNow(): Promise<void> {
    try {
      await this.#run();
    } catch (error) {
      logError("filters of triggers could not be evaluated; the evaluation is repeated", error);
    }
  }

  /** Evaluates the filters of waiting events, as long as there is budget. */
  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (;;) {
        const events = this.#store.first(EVENTS_PER_TURN);
        if (events.length === 0) return;
        const budget = refilled(this.#store.budget(), this.#rate(), Date.now());
        const waitMs = waitMsOf(budget, this.#rate());
        if (waitMs > 0) return this.#alarms.set("evaluate", Date.now() + waitMs);
        if (!this.#alarms.isSet("evaluate")) {
          this.#alarms.set("evaluate", Date.now() + LOOK_AFTER_MS);
        }
        await this.#turn(events, budget);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #turn(events: readonly WaitingEvent[], budget: BudgetState): Promise<void> {
    const context = systemContext(this.env, "trigger-lane");
    const { filters } = await currentTriggers(context);
    const turn = await dutyCycleOf(this.env).run(() =>
      evaluateTurn(events, filters, { now: context.clock(), stepsMax: budget.steps }),
    );
    const stored = turn.matches.length === 0 ? [] : await storeOccurrences(context, turn.matches);
    await storeFailedFilters(context, this.#shown(turn.failed));
    const atMs = Date.now();
    // Steps may have been drawn from the budget during the turn.
    const { steps } = refilled(this.#store.budget(), this.#rate(), atMs);
    this.#store.settle(events, turn.evaluations, { steps: steps - turn.steps, atMs });
    await announceOccurrences(this.env, stored);
  }

  /**
   * The failures that get an occurrence: the first one of each filter in an hour, because a filter that fails once may fail for every
   * event.
   */
  #shown(failed: readonly FailedFilter[]): FailedFilter[] {
    const hour = (atMs: number): number => Math.floor(atMs / FAILURE_SHOWN_MS);
    const seen = new Set<number>();
    return failed.filter(({ filter: { trigger } }) => {
      if (seen.has(trigger.key)) return false;
      seen.add(trigger.key);
      const { lastError } = this.#store.figures(trigger.key);
      return lastError === undefined || hour(lastError.atMs) !== hour(Date.now());
    });
  }

  #rate(): Rate {
    const { FLORIN_TRIGGER_STEPS_PER_SECOND: perSecond } = orchestrationSettings.of(this.env);
    return { perSecond, burst: perSecond * BURST_SECONDS };
  }
}
