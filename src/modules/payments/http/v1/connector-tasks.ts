import { z } from "@hono/zod-openapi";
import { type ConnectorId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import { ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
import { connectorIdParam } from "#modules/payments/http/path-ids.ts";
import { ScheduleResponse, toScheduleView } from "#modules/payments/http/v3/connector-schemas.ts";
import { scheduleFilterValues } from "#modules/payments/http/v3/schedules.ts";
import { getSchedule, listSchedules } from "#modules/payments/polling/list.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import { ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const Params = z.object({ connector: z.string(), connectorId: connectorIdParam() });
const connectorTasks = operations({
  path: "/connectors/{connector}/{connectorId}/tasks",
  tags: ["Payments API v1"],
  scope: "payments",
  params: Params,
});

/** A schedule in version 1 of the API, where it is called a task. */
const ConnectorTaskResponse = z
  .object({
    id: z.string(),
    connectorID: z.string(),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
    descriptor: ScheduleResponse,
    status: z.enum(["ACTIVE", "STOPPED"]),
    error: z.string(),
  })
  .openapi("PaymentsV1ConnectorTask");

function toConnectorTaskView(
  connector: ConnectorId,
  schedule: Schedule,
): z.input<typeof ConnectorTaskResponse> {
  // Clients of version 1 expect whole seconds.
  const createdAt = `${schedule.createdAt.slice(0, 19)}Z`;
  const descriptor = toScheduleView(connector, schedule);
  return {
    id: descriptor.id,
    connectorID: encodeConnectorId(connector),
    createdAt,
    updatedAt: createdAt,
    descriptor,
    status: schedule.pausedAt === null ? "ACTIVE" : "STOPPED",
    error: schedule.pausedReason ?? "",
  };
}

export const registerConnectorTasksV1 = registration(
  connectorTasks.get("", {
    operationId: "listConnectorTasksV1",
    summary: "List the schedules of a connector",
    query: ListQuery,
    answer: ok.page("A page of schedules", ConnectorTaskResponse),
    errors: [404],
    handle: async ({ params: { connectorId: id }, query, context, c }) => {
      const values = scheduleFilterValues(id);
      const wanted = toListQuery("schedules", { query, body: undefined, c, values });
      const page = await listSchedules(context, { id, query: wanted });
      return mapPage(page, (schedule) => toConnectorTaskView(id, schedule));
    },
  }),
  connectorTasks.get("/{taskId}", {
    operationId: "getConnectorTaskV1",
    summary: "Read a schedule of a connector",
    params: Params.extend({ taskId: z.string() }),
    answer: ok.data("The schedule", ConnectorTaskResponse),
    errors: [404],
    handle: async ({ params: { connectorId: connector, taskId: scheduleId }, context }) => {
      const schedule = await getSchedule(context, { connector, scheduleId });
      return toConnectorTaskView(connector, schedule);
    },
  }),
);
