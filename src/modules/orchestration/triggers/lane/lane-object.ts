import { DurableObject } from "cloudflare:workers";
import { and, inArray, sql } from "drizzle-orm";
import { evaluateTurn, type FailedFilter } from "./evaluate.ts";
import { storeFailedFilters } from "./failed-filters.ts";
import {
  type LaneEvent,
  TriggerLaneStore,
  type TriggerFigures,
  type WaitingEvent,
} from "./lane-store.ts";
import { LANE_TABLES } from "./tables.ts";
import { type BudgetState, type Rate, refilled, waitMsOf } from "./token-bucket.ts";
import { orchestrationSettings } from "#modules/orchestration/settings.ts";
import { announceOccurrences } from "#modules/orchestration/triggers/firing/announce.ts";
import { filtersOf, type TriggerFilter } from "#modules/orchestration/triggers/matching/filter.ts";
import { storeOccurrences } from "#modules/orchestration/triggers/occurrences.ts";
import { isListed, readTriggers } from "#modules/orchestration/triggers/store.ts";
import { orchestrationTriggers } from "#modules/orchestration/triggers/tables.ts";
import { systemContext } from "#platform/context.ts";
import { stringifyJson } from "#platform/json.ts";
import { log, logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { DutyCycle } from "#platform/work/duty-cycle.ts";

/** Most events that wait in a lane. Further ones are not taken, and the figures of their triggers say so. */
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

  /** Stores events whose filters are then evaluated. It resolves without waiting for that. */
  accept(events: readonly LaneEvent[]): void {
    if (this.#store.count() + events.length > EVENTS_WAITING_MAX) {
      log("warn", "a lane of triggers is full and takes no events", { count: events.length });
      this.#store.refuse(events);
    } else {
      this.#store.add(events, Date.now());
    }
    if (!this.#alarms.isSet("evaluate")) this.#alarms.set("evaluate", Date.now() + LOOK_AFTER_MS);
    this.ctx.waitUntil(this.#runNow());
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
    const filters = await this.#filtersFor(events);
    const turn = await dutyCycleOf(this.env).run(() =>
      evaluateTurn(events, filters, { now: context.clock(), stepsMax: budget.steps }),
    );
    const stored = turn.matches.length === 0 ? [] : await storeOccurrences(context, turn.matches);
    await storeFailedFilters(context, this.#shown(turn.failed));
    const atMs = Date.now();
    const { steps } = refilled(budget, this.#rate(), atMs);
    this.#store.settle(events, turn.evaluations, { steps: steps - turn.steps, atMs });
    await announceOccurrences(this.env, stored);
  }

  /** The filters of triggers that are not deleted, by their keys. */
  async #filtersFor(events: readonly WaitingEvent[]): Promise<Map<number, TriggerFilter>> {
    const keys = [...new Set(events.flatMap(({ triggers }) => triggers))];
    const listed = sql`(SELECT value FROM json_each(${stringifyJson(keys)}))`;
    const triggers = await readTriggers(
      { env: this.env },
      { where: and(inArray(orchestrationTriggers.key, listed), isListed) },
    );
    return new Map(filtersOf(this.env, triggers).map((filter) => [filter.trigger.key, filter]));
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
