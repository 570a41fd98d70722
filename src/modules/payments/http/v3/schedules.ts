import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  InstanceResponse,
  ScheduleResponse,
  toInstanceView,
  toScheduleView,
} from "./connector-schemas.ts";
import { type ConnectorId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import { FilterBody, ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
import { connectorIdParam } from "#modules/payments/http/path-ids.ts";
import {
  getSchedule,
  listInstances,
  listSchedules,
  taskInScheduleId,
} from "#modules/payments/polling/list.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Connectors"];
const Params = z.object({ connectorID: connectorIdParam() });
const ScheduleParams = Params.extend({ scheduleID: z.string() });

/**
 * Maps values of filters: clients send ids of schedules and connectors; the table holds the task in a schedule's id, and 1
 * stands for the connector of the path.
 */
export const scheduleFilterValues = (connector: ConnectorId) => ({
  id: (value: unknown) => (typeof value === "string" ? taskInScheduleId(connector, value) : value),
  connector_id: (value: unknown) => (value === encodeConnectorId(connector) ? 1 : 0),
});

export function registerSchedules(app: OpenAPIHono<AppEnv>): void {
  registerList(app);
  registerOne(app);
  registerInstances(app);
}

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/connectors/{connectorID}/schedules",
      operationId: "v3ListConnectorSchedules",
      summary: "List the schedules of a connector",
      description:
        "A schedule polls one kind of item and, in the same run, everything below these items, such as the balances of accounts. Filters: `id`, `connector_id`.",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      query: ListQuery,
      body: FilterBody,
      responses: { 200: json("A page of schedules", cursorOf(ScheduleResponse)), ...errors(404) },
    },
    async ({ params: { connectorID: id }, query, body, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const values = scheduleFilterValues(id);
      const wanted = toListQuery("schedules", { query, body, settings, values });
      const page = await listSchedules(context, { id, query: wanted });
      const view = mapPage(page, (schedule) => toScheduleView(id, schedule));
      return { status: 200, body: toCursorView(view) };
    },
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/connectors/{connectorID}/schedules/{scheduleID}",
      operationId: "v3GetConnectorSchedule",
      summary: "Read a schedule",
      tags: TAGS,
      scope: "payments:read",
      params: ScheduleParams,
      responses: { 200: json("The schedule", dataOf(ScheduleResponse)), ...errors(404) },
    },
    async ({ params: { connectorID: connector, scheduleID: scheduleId }, c }) => {
      const schedule = await getSchedule(c.var.context, { connector, scheduleId });
      return { status: 200, body: { data: toScheduleView(connector, schedule) } };
    },
  );
}

function registerInstances(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/connectors/{connectorID}/schedules/{scheduleID}/instances",
      operationId: "v3ListConnectorScheduleInstances",
      summary: "List the runs of a schedule",
      description: "The last hundred of them are kept.",
      tags: TAGS,
      scope: "payments:read",
      params: ScheduleParams,
      query: ListQuery,
      responses: { 200: json("A page of runs", cursorOf(InstanceResponse)), ...errors(404) },
    },
    async ({ params: { connectorID: connector, scheduleID: scheduleId }, query, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const request = { query: { ...query, query: undefined }, body: undefined, settings };
      const wanted = toListQuery("schedule-instances", request);
      const page = await listInstances(context, { connector, scheduleId, query: wanted });
      const view = mapPage(page, (it) => toInstanceView({ connector, scheduleId }, it));
      return { status: 200, body: toCursorView(view) };
    },
  );
}
