import { DurableObject } from "cloudflare:workers";
import { evaluateTurn, type FailedFilter } from "./evaluate.ts";
import { storeFailedFilters } from "./failed-filters.ts";
import { TriggerLaneStore, type TriggerFigures, type WaitingEvent } from "./lane-store.ts";
import { LANE_TABLES } from "./tables.ts";
import { type BudgetState, type Rate, refilled, waitMsOf } from "./token-bucket.ts";
import { orchestrationSettings } from "#modules/orchestration/settings.ts";
import { announceOccurrences } from "#modules/orchestration/triggers/announce.ts";
import type { LaneEvent } from "#modules/orchestration/triggers/lane-event.ts";
import { currentTriggers } from "#modules/orchestration/triggers/matching/catalogue.ts";
import { storeOccurrences } from "#modules/orchestration/triggers/occurrences.ts";
import { systemContext } from "#platform/context.ts";
import { log, logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { DutyCycle } from "#platform/work/duty-cycle.ts";

/** Most events that wait in a lane. It does not take further ones, which D1 keeps then, and the figures of their triggers say so. */
const EVENTS_WAITING_MAX = 100_000;
/** Most events that one turn reads: each has half a million characters at most. */
const EVENTS_PER_TURN = 50;
/** When an alarm looks after work that a crash has cut off, in milliseconds. */
const LOOK_AFTER_MS = 5000;
/** For how many seconds an owner's budget is saved up. */
const BURST_SECONDS = 5;
/** How often the same filter has a failure shown as an occurrence, in milliseconds; the figures count all. */
const FAILURE_SHOWN_MS = 3_600_000;

/** All lanes of an isolate take turns with each other and with everything else. */
const dutyCycleOf = memoByEnv((_env: object) => new DutyCycle());

/** What was spent beyond what was drawn before, and how much more is wanted, in steps. */
export interface DrawCall {
  readonly debt: number;
  readonly most: number;
}

/** Steps that may be spent outside of the lane; where there are none, how long to wait for some, in milliseconds. */
export interface Draw {
  readonly granted: number;
  readonly waitMs: number;
}

/** How the work of one trigger stands, and the budget that it shares with the other triggers of its owner. */
export interface LaneFigures extends TriggerFigures {
  /** What is left of the budget, in steps; below zero where the last evaluation took more than was left. */
  readonly budgetLeft: number;
}

/**
 * Evaluates the filters of all triggers of one owner, in the order of events, and nobody else's: what takes many steps delays only its owner's
 * own triggers. An event that is accepted is stored here until each of its filters is evaluated and what follows is stored in D1.
 *
 * | A kill after | leaves | and then |
 * | --- | --- | --- |
 * | an event is accepted | its row, and an alarm | The alarm evaluates it. |
 * | filters are evaluated | the same | They are evaluated again. |
 * | occurrences are stored | the same | The same; D1 has the occurrences already, each once for a trigger and event. |
 * | the turn is settled | what is left to do | The alarm goes on. |
 */
export class TriggerLaneObject extends DurableObject<Env> {
  readonly #store: TriggerLaneStore;
  readonly #alarms: Alarms<"evaluate">;
  #isRunning = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const sqlite = durableSql(ctx.storage);
    LANE_TABLES.migrateToEnd(sqlite);
    this.#store = new TriggerLaneStore(sqlite);
    this.#alarms = new Alarms(ctx.storage, { evaluate: () => this.#run() });
    void ctx.blockConcurrencyWhile(async () => this.#alarms.inherit(await ctx.storage.getAlarm()));
  }

  /**
   * Stores events whose filters are then evaluated, without waiting for that. Returns whether it has taken them: not where too many wait
   * already.
   */
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

  /** Takes a debt from the budget, and at most so many steps in advance for expressions that are evaluated elsewhere, if there are any. */
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

  /** Never throws: after a failure, the alarm goes on. */
  async #runNow(): Promise<void> {
    try {
      await this.#run();
    } catch (error) {
      logError("filters of triggers could not be evaluated; that is repeated", error);
    }
  }

  /** Evaluates what waits, as long as there is budget. */
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
    // Others may have drawn from it meanwhile.
    const { steps } = refilled(this.#store.budget(), this.#rate(), atMs);
    this.#store.settle(events, turn.evaluations, { steps: steps - turn.steps, atMs });
    await announceOccurrences(this.env, stored);
  }

  /** The first failure of each filter within an hour: a filter that fails once may do so for every event. */
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
