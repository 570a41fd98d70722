import { fromHoldColumn, type InstanceHold, type InstanceState } from "./state.ts";
import type { orchestrationInstances } from "./tables.ts";
import type { Variables } from "#modules/orchestration/core/variables.ts";
import type { Workflow } from "#modules/orchestration/workflows/workflow.ts";
import { fromPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { Principal } from "#platform/context.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface FlowInstance {
  readonly key: number;
  readonly id: string;
  readonly workflow: Workflow;
  readonly variables: Variables;
  /** The principal that has started the instance. */
  readonly principal: Principal;
  /** The number of triggers that led to the instance, one after the other. */
  readonly causationDepth: number;
  /** What has caused the instance (`platform/tracing/cause.ts`); null where it is not known. */
  readonly cause: string | null;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly terminatedAt?: Timestamp;
  readonly error?: string;
  /** The number of the current stage; the number of all stages once they are done. */
  readonly stage: number;
  /** The number of the current run. Each run is an instance of its own on the platform, named `<id>-<run>`. */
  readonly run: number;
  /** 1 for a new instance, and one more with each retry by a client. */
  readonly round: number;
  /** By when the instance has to change again; then the sweep looks after it. Absent while it waits for an event, and once it has ended. */
  readonly dueAt?: Timestamp;
  /** A new id with each transition, by which concurrent transitions notice each other. */
  readonly changeId: string;
  readonly state: InstanceState;
  /** Why the instance does not go on at present. */
  readonly hold?: InstanceHold;
}

/**
 * An instance from its row; a row without a state has succeeded. `workflow` has to be the workflow of the row. The types of the
 * row's JSON are known, because only `start.ts` and transitions write it.
 */
export const toInstance = (
  row: typeof orchestrationInstances.$inferSelect,
  workflow: Workflow,
): FlowInstance => ({
  key: row.key,
  id: row.id,
  workflow,
  variables: parseJson(row.variables) as Variables,
  principal: fromPrincipalColumn(row.principal),
  causationDepth: row.causationDepth,
  cause: row.cause,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  stage: row.stage,
  run: row.run,
  round: row.round,
  changeId: row.changeId,
  state: row.state ?? "succeeded",
  ...(row.terminatedAt === null ? {} : { terminatedAt: row.terminatedAt }),
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.dueAt === null ? {} : { dueAt: row.dueAt }),
  ...(row.hold === null ? {} : { hold: fromHoldColumn(row.hold) }),
});

/** The error of an instance that was aborted. */
export const CANCELED = "canceled";

export interface StageStatus {
  readonly number: number;
  readonly startedAt: Timestamp;
  readonly terminatedAt?: Timestamp;
  readonly error?: string;
  readonly historyError?: string;
}
