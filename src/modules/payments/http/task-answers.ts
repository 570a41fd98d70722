import { z } from "@hono/zod-openapi";
import { ConnectorIdInput } from "./path-ids.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import { ok } from "#platform/http/index.ts";

/** The connector to which an object is forwarded. */
export const ForwardRequest = z
  .object({ connectorID: ConnectorIdInput })
  .openapi("ForwardToConnectorRequest");

/** The answer to a request whose work continues in a task. */
export const TASK_BEGUN = ok.accepted(
  "The task",
  z.object({ taskID: z.string() }),
  ({ id }: Pick<Task, "id">) => ({ taskID: encodeOwnedId(id) }),
);
