import { type OpenAPIHono, z } from "@hono/zod-openapi";
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
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { dataOf, TimestampOutput } from "#platform/http/schemas.ts";
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

export function registerTasks(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/tasks/{taskID}",
      operationId: "v3GetTask",
      summary: "Read a task",
      description:
        "A task is work that goes on after the answer to the request that began it. One that moves money shows its attempts as `movement` while it goes on.",
      tags: ["Payment tasks"],
      scope: "payments:read",
      params: z.object({ taskID: ownedIdParam("task") }),
      responses: { 200: json("The task", dataOf(TaskResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const task = await getTask(c.var.context, params.taskID);
      const progress = await progressOfTask(c.var.context, task);
      return {
        status: 200,
        body: { data: { ...toTaskView(task), ...toMovementMember(progress) } },
      };
    },
  );
}

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
