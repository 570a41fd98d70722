import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { type ConnectorId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import { ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
import { connectorIdParam } from "#modules/payments/http/path-ids.ts";
import { ScheduleResponse, toScheduleView } from "#modules/payments/http/v3/connector-schemas.ts";
import { scheduleFilterValues } from "#modules/payments/http/v3/schedules.ts";
import { getSchedule, listSchedules } from "#modules/payments/polling/list.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, TimestampOutput, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Payments API v1"];
const Params = z.object({ connector: z.string(), connectorId: connectorIdParam() });

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

export function registerConnectorTasksV1(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/connectors/{connector}/{connectorId}/tasks",
      operationId: "listConnectorTasksV1",
      summary: "List the schedules of a connector",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      query: ListQuery,
      responses: {
        200: json("A page of schedules", cursorOf(ConnectorTaskResponse)),
        ...errors(404),
      },
    },
    async ({ params: { connectorId: id }, query, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const values = scheduleFilterValues(id);
      const wanted = toListQuery("schedules", { query, body: undefined, settings, values });
      const page = await listSchedules(context, { id, query: wanted });
      const view = mapPage(page, (schedule) => toConnectorTaskView(id, schedule));
      return { status: 200, body: toCursorView(view) };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/connectors/{connector}/{connectorId}/tasks/{taskId}",
      operationId: "getConnectorTaskV1",
      summary: "Read a schedule of a connector",
      tags: TAGS,
      scope: "payments:read",
      params: Params.extend({ taskId: z.string() }),
      responses: { 200: json("The schedule", dataOf(ConnectorTaskResponse)), ...errors(404) },
    },
    async ({ params: { connectorId: connector, taskId: scheduleId }, c }) => {
      const schedule = await getSchedule(c.var.context, { connector, scheduleId });
      return { status: 200, body: { data: toConnectorTaskView(connector, schedule) } };
    },
  );
}

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
