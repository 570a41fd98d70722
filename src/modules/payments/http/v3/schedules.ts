import { z } from "@hono/zod-openapi";
import {
  InstanceResponse,
  ScheduleResponse,
  toInstanceView,
  toScheduleView,
} from "./connector-schemas.ts";
import { type ConnectorId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import { LIST, ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
import { connectorIdParam } from "#modules/payments/http/path-ids.ts";
import {
  getSchedule,
  listInstances,
  listSchedules,
  taskInScheduleId,
} from "#modules/payments/polling/list.ts";
import { ok, operations, registration } from "#platform/http/index.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const schedules = operations({ path: "/v3/connectors", tags: ["Connectors"], scope: "payments" });
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

export const registerSchedules = registration(
  schedules.get("/{connectorID}/schedules", {
    operationId: "v3ListConnectorSchedules",
    summary: "List the schedules of a connector",
    description:
      "A schedule polls one kind of item and, in the same run, everything below these items, such as the balances of accounts. Filters: `id`, `connector_id`.",
    params: Params,
    ...LIST,
    answer: ok.page("A page of schedules", ScheduleResponse),
    errors: [404],
    handle: async ({ params: { connectorID: id }, query, body, context, c }) => {
      const values = scheduleFilterValues(id);
      const wanted = toListQuery("schedules", { query, body, c, values });
      const page = await listSchedules(context, { id, query: wanted });
      return mapPage(page, (schedule) => toScheduleView(id, schedule));
    },
  }),
  schedules.get("/{connectorID}/schedules/{scheduleID}", {
    operationId: "v3GetConnectorSchedule",
    summary: "Read a schedule",
    params: ScheduleParams,
    answer: ok.data("The schedule", ScheduleResponse),
    errors: [404],
    handle: async ({ params: { connectorID: connector, scheduleID: scheduleId }, context }) => {
      const schedule = await getSchedule(context, { connector, scheduleId });
      return toScheduleView(connector, schedule);
    },
  }),
  schedules.get("/{connectorID}/schedules/{scheduleID}/instances", {
    operationId: "v3ListConnectorScheduleInstances",
    summary: "List the runs of a schedule",
    description: "The last hundred of them are kept.",
    params: ScheduleParams,
    query: ListQuery,
    answer: ok.page("A page of runs", InstanceResponse),
    errors: [404],
    handle: async ({
      params: { connectorID: connector, scheduleID: scheduleId },
      query,
      context,
      c,
    }) => {
      const request = { query: { ...query, query: undefined }, body: undefined, c };
      const wanted = toListQuery("schedule-instances", request);
      const page = await listInstances(context, { connector, scheduleId, query: wanted });
      return mapPage(page, (it) => toInstanceView({ connector, scheduleId }, it));
    },
  }),
);
