import { fromHoldColumn, type InstanceHold, type InstanceState } from "./state.ts";
import type { orchestrationInstances } from "./tables.ts";
import type { Variables } from "#modules/orchestration/core/variables.ts";
import type { Workflow } from "#modules/orchestration/workflows/workflow.ts";
import type { Principal } from "#platform/context.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface FlowInstance {
  readonly key: number;
  readonly id: string;
  readonly workflow: Workflow;
  readonly variables: Variables;
  /** Who has started it. */
  readonly principal: Principal;
  /** How many triggers, one after the other, led to it. */
  readonly causationDepth: number;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly terminatedAt?: Timestamp;
  /** Why it has failed. */
  readonly error?: string;
  /** The stage that it is at; the number of stages once all are done. */
  readonly stage: number;
  readonly run: number;
  readonly round: number;
  readonly dueAt?: Timestamp;
  readonly changeId: string;
  readonly state: InstanceState;
  /** Why it does not go on. */
  readonly hold?: InstanceHold;
}

/** The rows have what `start` has written, so that the types of their JSON are known. */
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

/** A principal as a column holds it, without the token of the request. */
export const toPrincipalColumn = ({ token: _token, scopes, ...principal }: Principal) =>
  stringifyJson({ ...principal, scopes: [...scopes] });

/** Reads what `toPrincipalColumn` has written. */
export function fromPrincipalColumn(text: string): Principal {
  const stored = parseJson(text) as Omit<Principal, "scopes"> & { scopes: readonly string[] };
  return { ...stored, scopes: new Set(stored.scopes) };
}

/** The error of an instance that was aborted. */
export const CANCELED = "canceled";

export interface StageStatus {
  readonly number: number;
  readonly startedAt: Timestamp;
  readonly terminatedAt?: Timestamp;
  readonly error?: string;
  readonly historyError?: string;
}
