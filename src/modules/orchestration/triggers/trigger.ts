import type { orchestrationTriggers } from "./tables.ts";
import { fromPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { Principal } from "#platform/context.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface Trigger {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  /** The type of the events for which the trigger fires. */
  readonly event: string;
  readonly version?: string;
  readonly filter?: string;
  readonly workflowId: string;
  /** Expressions by the names of the variables whose values they give. */
  readonly vars: Readonly<Record<string, string>>;
  /** The principal that has created the trigger. */
  readonly principal: Principal;
  readonly createdAt: Timestamp;
  /** Absent for a trigger that fires. */
  readonly stop?: TriggerStop;
}

/** The stop of a trigger that was part of a loop. */
export interface TriggerStop {
  readonly since: Timestamp;
  /** The occurrence at which the loop was noticed. */
  readonly occurrenceId: string;
  /** The number of triggers that led to the event of the occurrence. */
  readonly depth: number;
}

/** The row of a trigger, and the id of its workflow. */
export interface TriggerRow {
  readonly trigger: typeof orchestrationTriggers.$inferSelect;
  readonly workflowId: string;
}

/** A trigger from its row. The types of the row's JSON are known, because `createTrigger` has written it. */
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
