import type { z } from "@hono/zod-openapi";
import type { InstanceResponse } from "./schemas.ts";
import type { FlowInstance, StageStatus } from "#modules/orchestration/instances/instance.ts";
import type { InstanceHold } from "#modules/orchestration/instances/state.ts";
import type { Workflow } from "#modules/orchestration/workflows/workflow.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

export const toWorkflowView = ({ id, config, createdAt, deletedAt }: Workflow) => ({
  id,
  config: { name: config.name, stages: [...config.stages] },
  createdAt: formatTimestamp(createdAt),
  updatedAt: formatTimestamp(createdAt),
  ...optionalTimestamp("deletedAt", deletedAt),
});

/** An instance alone, as the answer to its start and occurrences of triggers show it. */
export const toBareInstanceView = (instance: FlowInstance) => ({
  id: instance.id,
  workflowID: instance.workflow.id,
  createdAt: formatTimestamp(instance.createdAt),
  updatedAt: formatTimestamp(instance.updatedAt),
  terminated: instance.terminatedAt !== undefined,
  ...optionalTimestamp("terminatedAt", instance.terminatedAt),
  ...(instance.error === undefined ? {} : { error: instance.error }),
});

/** An instance with its workflow, as lists show it. */
export const toInstanceView = (instance: FlowInstance): z.output<typeof InstanceResponse> => ({
  ...toBareInstanceView(instance),
  workflow: toWorkflowView(instance.workflow),
  state: instance.state,
  ...(instance.hold === undefined ? {} : { hold: toHoldView(instance.hold) }),
});

function toHoldView(hold: InstanceHold) {
  const since = formatTimestamp(hold.since);
  switch (hold.kind) {
    case "time": {
      const until = formatTimestamp(hold.until);
      return { reason: `it waits until ${until}`, since, until };
    }
    case "event":
      return { reason: `it waits for the event '${hold.event}'`, since, event: hold.event };
    case "retry": {
      const { activity, attempts, lastFailure } = hold;
      const nextAttemptAt = formatTimestamp(hold.nextAttemptAt);
      const reason = `the activity ${activity} has failed and is tried again: ${lastFailure}`;
      return { reason, since, activity, attempts, lastFailure, nextAttemptAt };
    }
  }
}

/** An instance with its workflow and its stages, as it is read by its id. */
export const toInstanceWithStatusView = (
  instance: FlowInstance,
  stages: readonly StageStatus[],
): z.output<typeof InstanceResponse> => ({
  ...toInstanceView(instance),
  ...(stages.length === 0
    ? {}
    : { status: stages.map((stage) => toStageStatusView(instance, stage)) }),
});

const toStageStatusView = ({ id }: FlowInstance, status: StageStatus) => ({
  stage: status.number,
  instanceID: id,
  startedAt: formatTimestamp(status.startedAt),
  ...optionalTimestamp("terminatedAt", status.terminatedAt),
  ...(status.error === undefined ? {} : { error: status.error }),
});
