import { z } from "@hono/zod-openapi";
import { TASK_STATUSES } from "#modules/payments/core/enums.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import {
  MovementProgressResponse,
  toMovementMember,
} from "#modules/payments/http/movement-progress.ts";
import { ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { progressOfTask } from "#modules/payments/movements/progress.ts";
import { getTask } from "#modules/payments/tasks/store.ts";
import { connectorOf, type Task } from "#modules/payments/tasks/task.ts";
import { ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const TaskResponse = z
  .object({
    id: z.string(),
    connectorID: z.string().optional(),
    status: z.enum(TASK_STATUSES),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
    createdObjectID: z.string().optional(),
    error: z.string().optional(),
    movement: MovementProgressResponse.optional(),
  })
  .openapi("PaymentTask");

function toTaskView(task: Task): z.input<typeof TaskResponse> {
  const { id, status, createdAt, updatedAt, createdObjectId, error } = task;
  const connector = connectorOf(task);
  return {
    id: encodeOwnedId(id),
    ...(connector === undefined ? {} : { connectorID: encodeConnectorId(connector) }),
    status,
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
    ...(createdObjectId === undefined ? {} : { createdObjectID: createdObjectId }),
    ...(error === undefined ? {} : { error }),
  };
}

const tasks = operations({ tags: ["Payment tasks"], scope: "payments" });

export const registerTasks = registration(
  tasks.get("/v3/tasks/{taskID}", {
    operationId: "v3GetTask",
    summary: "Read a task",
    description:
      "A task is work that goes on after the answer to the request that began it. One that moves money shows its attempts as `movement` while it goes on.",
    params: z.object({ taskID: ownedIdParam("task") }),
    answer: ok.data("The task", TaskResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const task = await getTask(context, params.taskID);
      const progress = await progressOfTask(context, task);
      return { ...toTaskView(task), ...toMovementMember(progress) };
    },
  }),
);
