import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { instanceEvent, type InstanceEventType } from "./event-types.ts";
import type { FlowInstance } from "./instance.ts";
import { endColumns, type InstanceHold, holdColumns } from "./state.ts";
import { orchestrationInstances, orchestrationStages } from "./tables.ts";
import {
  type AddedRows,
  IS_STORED,
  rowStatements,
  type TransitionGuard,
} from "./transition-rows.ts";
import { watchInstances } from "./watch.ts";
import { WorkflowConfigError } from "#modules/orchestration/core/config-error.ts";
import { stageAt } from "#modules/orchestration/core/config.ts";
import { resolveStage } from "#modules/orchestration/core/resolve.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

type Statement = BatchItem<"sqlite">;
type InstanceColumns = Partial<typeof orchestrationInstances.$inferInsert>;

/** The part of an instance that a transition reads. */
export type TransitionOrigin = Pick<
  FlowInstance,
  "id" | "workflow" | "variables" | "round" | "changeId"
>;

/** The kinds of moments in the timeline of an instance. */
export type MomentKind =
  | "instance-started"
  | "instance-succeeded"
  | "instance-failed"
  | "instance-retried"
  | "stage-started"
  | "stage-succeeded"
  | "stage-failed"
  | "event-received"
  | "event-ignored"
  | "wait-started"
  | "activity-started"
  | "activity-succeeded"
  | "activity-attempt-failed"
  | "activity-failed";

/** How late an instance may be, in milliseconds, before the sweep takes its run for lost. */
export const GRACE_MS = 20_000;

/** Most stages that one transition passes. A `noop` stage ends in the transition that begins it. */
const STAGES_PER_CHANGE_MAX = 20;

interface BegunStage {
  terminatedAt: Timestamp | null;
  error: string | null;
  historyError: string | null;
}

/**
 * One change of an instance with its stages, activities, moments and events. It is stored in one batch, or not at all if the instance has
 * changed since it was read.
 */
export class InstanceTransition {
  readonly #context: ServiceContext;
  readonly #instance: TransitionOrigin;
  readonly #db: Database;
  readonly #statements: Statement[] = [];
  readonly #moments: AddedRows["moments"][number][] = [];
  readonly #begun = new Map<number, BegunStage>();
  readonly #events: OutboxEvent[] = [];
  /** The `changeId` of the instance once this transition is stored. */
  readonly changeId = newId();
  readonly now: Timestamp;
  #set: InstanceColumns;

  constructor(context: ServiceContext, instance: TransitionOrigin) {
    this.#context = context;
    this.#instance = instance;
    this.#db = databaseOf(context.env);
    this.now = context.clock();
    this.#set = { updatedAt: this.now, changeId: this.changeId, ...holdColumns() };
    this.moveWithin(0);
  }

  /** Says in how many milliseconds the instance has something to do again, or, with undefined, that it waits for an event. */
  moveWithin(milliseconds: number | undefined): void {
    this.#set.dueAt =
      milliseconds === undefined
        ? null
        : fromMillis(Math.min(toMillis(this.now) + milliseconds + GRACE_MS, LAST_MS));
  }

  /** Says why the instance does not go on. Without a hold, an instance that has not ended is running. */
  holdBack(hold: InstanceHold | undefined): void {
    this.set(holdColumns(hold));
  }

  set(columns: InstanceColumns): void {
    Object.assign(this.#set, columns);
  }

  /** Whether the instance has ended once this transition is stored. */
  get hasEnded(): boolean {
    return typeof this.#set.terminatedAt === "string";
  }

  /** Adds a moment to the timeline. */
  moment(kind: MomentKind, data: object = {}, stage?: number): void {
    const columns = { at: this.now, kind, stage: stage ?? null, data: stringifyJson(data) };
    this.#moments.push({ guard: this.#guard, columns });
  }

  /** Adds a statement to the batch. The statement must have no effect unless `isChanged` holds. */
  add(statement: Statement): void {
    this.#statements.push(statement);
  }

  /** SQL condition that holds for the instance's row once this transition has changed it. */
  get isChanged(): SQL {
    return sql`id = ${this.#instance.id} AND change_id = ${this.changeId}`;
  }

  /** SQL for the key of the instance once this transition has changed it; null otherwise. */
  get key(): SQL {
    return sql`(SELECT key FROM ${orchestrationInstances} WHERE ${this.isChanged})`;
  }

  get #guard(): TransitionGuard {
    return { instanceId: this.#instance.id, changeId: this.changeId };
  }

  publish(type: InstanceEventType, more: { number?: number; error?: string } = {}): void {
    const { id, workflow, round } = this.#instance;
    const origin = { id, workflowId: workflow.id, round };
    const event = instanceEvent(origin, { type, date: this.now, ...more });
    this.#events.push({ ...event, guard: this.#guard });
  }

  /** Begins a stage, or ends the instance behind its last stage. A `noop` stage ends at once, so that it needs no change of its own. */
  beginStage(number: number): void {
    const { workflow, variables } = this.#instance;
    for (let at = number; ; at++) {
      this.set({ stage: at });
      const config = stageAt(workflow.config, at);
      if (config === undefined) return this.#succeed();
      this.#begun.set(at, { terminatedAt: null, error: null, historyError: null });
      this.moment("stage-started", { type: config.type }, at);
      this.publish("STARTED_WORKFLOW_STAGE", { number: at });
      try {
        resolveStage(config, variables);
      } catch (error) {
        if (!(error instanceof WorkflowConfigError)) throw error;
        return this.failStage(at, error.message);
      }
      if (config.type !== "noop" || at >= number + STAGES_PER_CHANGE_MAX) return;
      this.#endStage(at);
    }
  }

  /** Ends a stage that is done, and begins the next one. */
  endStage(number: number): void {
    this.#endStage(number);
    this.beginStage(number + 1);
  }

  /** Ends a stage that has failed, and the instance with it. */
  failStage(number: number, error: string, historyError = error): void {
    this.#endStageRow(number, { error, historyError });
    this.moment("stage-failed", { error }, number);
    this.publish("FAILED_WORKFLOW_STAGE", { number, error });
    this.set({ terminatedAt: this.now, error, dueAt: null, ...endColumns(error) });
    this.moment("instance-failed", { error });
    this.publish("FAILED_WORKFLOW", { error });
  }

  #endStage(number: number): void {
    this.#endStageRow(number, {});
    this.moment("stage-succeeded", {}, number);
    this.publish("SUCCEEDED_WORKFLOW_STAGE", { number });
  }

  #endStageRow(number: number, set: { error?: string; historyError?: string }): void {
    const begun = this.#begun.get(number);
    if (begun !== undefined) {
      Object.assign(begun, { terminatedAt: this.now, ...set });
      return;
    }
    this.add(
      this.#db
        .update(orchestrationStages)
        .set({ terminatedAt: this.now, ...set })
        .where(
          and(
            eq(orchestrationStages.instanceKey, this.key),
            eq(orchestrationStages.number, number),
          ),
        ),
    );
  }

  #succeed(): void {
    this.set({ terminatedAt: this.now, error: null, dueAt: null, ...endColumns(undefined) });
    this.moment("instance-succeeded");
    this.publish("SUCCEEDED_WORKFLOW");
  }

  /** The columns of a new instance, without those that `insertInstances` is given. */
  get columns(): InstanceColumns {
    return this.#set;
  }

  /** Rows and events that this transition adds besides its statements. */
  get added(): AddedRows {
    const stages = [...this.#begun].map(([number, { terminatedAt, error, historyError }]) => ({
      guard: this.#guard,
      // Rows of stages are stored from JSON, from which SQLite takes halves of surrogate pairs as they are.
      columns: {
        number,
        startedAt: this.now,
        terminatedAt,
        error: wellFormed(error),
        historyError: wellFormed(historyError),
      },
    }));
    return { stages, moments: this.#moments, events: this.#events };
  }

  /** Stores the transition. Returns false if the instance has changed since it was read, or `condition` does not hold. */
  async store(
    audit?: AuditedChange,
    condition: SQL = isNull(orchestrationInstances.terminatedAt),
  ): Promise<boolean> {
    const { id, changeId } = this.#instance;
    const change = this.#db
      .update(orchestrationInstances)
      .set(this.#set)
      .where(
        and(
          eq(orchestrationInstances.id, id),
          eq(orchestrationInstances.changeId, changeId),
          condition,
        ),
      )
      .returning({ key: orchestrationInstances.key });
    const { events, ...rows } = this.added;
    if (!this.hasEnded) await watchInstances(this.#context);
    const results: readonly unknown[] = await Outbox.from(this.#context).publish({
      change: [change, ...this.#statements, ...rowStatements(this.#db, rows)],
      events,
      condition: IS_STORED,
      ...(audit === undefined ? {} : { audit }),
    });
    const [changed] = results;
    return Array.isArray(changed) && changed.length > 0;
  }
}

const wellFormed = (text: string | null): string | null => text?.toWellFormed() ?? null;

/** The last millisecond that a timestamp can have. */
const LAST_MS = 253_402_300_799_999;
