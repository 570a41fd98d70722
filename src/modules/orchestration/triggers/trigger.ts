import type { orchestrationTriggers } from "./tables.ts";
import { fromPrincipalColumn } from "#modules/orchestration/instances/instance.ts";
import type { Principal } from "#platform/context.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface Trigger {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  /** The type of the events that it fires for. */
  readonly event: string;
  readonly version?: string;
  readonly filter?: string;
  readonly workflowId: string;
  /** Expressions by the name of the variable that each gives. */
  readonly vars: Readonly<Record<string, string>>;
  /** Who has created it. */
  readonly principal: Principal;
  readonly createdAt: Timestamp;
  /** Absent for one that fires. */
  readonly stop?: TriggerStop;
}

/** Why a trigger fires no more: it was part of a loop. */
export interface TriggerStop {
  readonly since: Timestamp;
  /** The occurrence at which the loop was noticed. */
  readonly occurrenceId: string;
  /** How many triggers had led to its event. */
  readonly depth: number;
}

/** A row of the table and the id of its workflow. */
export interface TriggerRow {
  readonly trigger: typeof orchestrationTriggers.$inferSelect;
  readonly workflowId: string;
}

/** The rows have what `create` has written, so that the types of their JSON are known. */
export const toTrigger = ({ trigger: row, workflowId }: TriggerRow): Trigger => ({
  key: row.key,
  id: row.id,
  name: row.name,
  event: row.event,
  ...(row.version === null ? {} : { version: row.version }),
  ...(row.filter === null ? {} : { filter: row.filter }),
  workflowId,
  vars: parseJson(row.vars) as Trigger["vars"],
  principal: fromPrincipalColumn(row.principal),
  createdAt: row.createdAt,
  ...stopOf(row),
});

function stopOf({
  stoppedAt,
  stoppedBy,
  stoppedDepth,
}: TriggerRow["trigger"]): Pick<Trigger, "stop"> {
  if (stoppedAt === null || stoppedBy === null) return {};
  return { stop: { since: stoppedAt, occurrenceId: stoppedBy, depth: stoppedDepth ?? 0 } };
}
