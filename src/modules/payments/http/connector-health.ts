import { z } from "@hono/zod-openapi";
import { LIST, toListQuery } from "./lists.ts";
import { connectorIdParam } from "./path-ids.ts";
import { CONNECTOR_FILTER_VALUES } from "./v3/connectors.ts";
import { CONNECTOR_HEALTHS, scheduleHealth } from "#modules/payments/core/connector-health.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import {
  type ConnectorReport,
  listReports,
  type MovementTrouble,
  readReport,
} from "#modules/payments/health/read.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { scheduleIdOf } from "#modules/payments/polling/list.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import {
  readWebhookHealth,
  type WebhookHealth as RegisteredHealth,
} from "#modules/payments/webhooks/store.ts";
import { Count, ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

const ScheduleHealth = z.object({
  scheduleID: z.string(),
  task: z.string(),
  status: z.enum(["waiting", "running", "paused"]).openapi({
    description: "A paused schedule is probed at `nextRunAt`, and resumes when the probe succeeds.",
  }),
  health: z.enum(CONNECTOR_HEALTHS),
  since: TimestampOutput.optional().openapi({
    description: "The time since which it has this health; absent for a healthy schedule.",
  }),
  nextRunAt: TimestampOutput.optional(),
  lastSuccessAt: TimestampOutput.optional(),
  lastFailureAt: TimestampOutput.optional(),
  lastError: z.string().optional(),
  failedRuns: Count.openapi({ description: "The number of failed runs in a row." }),
  itemsOfLastRun: Count.optional().openapi({
    description:
      "The number of items that the last run has stored because they were new or had changed.",
  }),
  itemsOfThisRun: Count.optional(),
});

const WebhookHealth = z.object({
  name: z.string(),
  path: z.string().openapi({ description: "The part of the path after the connector's own URL." }),
  lastFailureAt: TimestampOutput.optional().openapi({
    description: "The time of the last signed delivery that could not be read and was left out.",
  }),
  lastError: z.string().optional(),
});

const MovementTroubleResponse = z
  .object({
    count: Count.openapi({
      description: "The number of movements whose last attempt has had no outcome.",
    }),
    paymentInitiationID: z.string().openapi({
      description: "The payment initiation of the movement that has failed most often.",
    }),
    attempts: Count.openapi({ description: "The number of attempts of this movement." }),
    failingSince: TimestampOutput,
    lastError: z.string().optional(),
    nextAttemptAt: TimestampOutput,
  })
  .openapi({
    description: "Movements of money whose last attempt has had no outcome; absent without any.",
  });

const SummaryResponse = z
  .object({
    connectorID: z.string(),
    name: z.string(),
    provider: z.string(),
    status: z.enum([...CONNECTOR_HEALTHS, "uninstalling"]).openapi({
      description:
        "`degraded`: some items are missing, or the last attempt of a movement of money had no outcome. `failing`: the last run of a schedule broke off, or five attempts in a row of a movement had no outcome. `paused`: ten runs in a row of a schedule broke off, and the provider is probed.",
    }),
    since: TimestampOutput.openapi({ description: "The time since which it has this status." }),
    lastSuccessAt: TimestampOutput.optional(),
    lastFailureAt: TimestampOutput.optional(),
    lastError: z.string().optional(),
    nextRunAt: TimestampOutput.optional().openapi({
      description: "The time of the next run of a schedule, or of the next probe of a paused one.",
    }),
    movements: MovementTroubleResponse.optional(),
  })
  .openapi("PaymentConnectorHealthSummary");

const HealthResponse = SummaryResponse.extend({
  schedules: z.array(ScheduleHealth),
  webhooks: z
    .array(WebhookHealth)
    .openapi({ description: "The webhooks that the connector has registered at its provider." }),
}).openapi("PaymentConnectorHealth");

function toSummaryView(report: ConnectorReport): z.input<typeof SummaryResponse> {
  const { connector, health, since, lastError } = report;
  const { id, name, deletedAt } = connector;
  return {
    connectorID: encodeConnectorId(id),
    name,
    provider: id.provider,
    status: deletedAt === undefined ? health : "uninstalling",
    since: formatTimestamp(deletedAt ?? since),
    ...optionalTimestamp("lastSuccessAt", report.lastSuccessAt),
    ...optionalTimestamp("lastFailureAt", report.lastFailureAt),
    ...(lastError === undefined ? {} : { lastError }),
    ...optionalTimestamp("nextRunAt", report.nextRunAt),
    ...(report.movements === undefined ? {} : { movements: toMovementTrouble(report.movements) }),
  };
}

const toMovementTrouble = ({
  count,
  initiation,
  attempts,
  failingSince,
  lastError,
  nextAttemptAt,
}: MovementTrouble): z.input<typeof MovementTroubleResponse> => ({
  count,
  paymentInitiationID: encodeOwnedId(initiation),
  attempts,
  failingSince: formatTimestamp(failingSince),
  ...(lastError === null ? {} : { lastError }),
  nextAttemptAt: formatTimestamp(nextAttemptAt),
});

function toScheduleHealth(
  { id }: InstalledConnector,
  schedule: Schedule,
): z.input<typeof ScheduleHealth> {
  const isPaused = schedule.pausedAt !== null;
  const isRunning = schedule.instanceKey !== null;
  const { health, since } = scheduleHealth(schedule);
  return {
    scheduleID: scheduleIdOf(id, schedule),
    task: schedule.task,
    status: isRunning ? "running" : isPaused ? "paused" : "waiting",
    health,
    ...optionalTimestamp("since", since),
    ...optionalTimestamp("nextRunAt", schedule.nextAt),
    ...optionalTimestamp("lastSuccessAt", schedule.lastSuccessAt ?? undefined),
    ...optionalTimestamp("lastFailureAt", schedule.lastFailureAt ?? undefined),
    ...(schedule.lastError === null ? {} : { lastError: schedule.lastError }),
    failedRuns: schedule.failures,
    ...(schedule.lastItems === null ? {} : { itemsOfLastRun: schedule.lastItems }),
    ...(isRunning ? { itemsOfThisRun: schedule.items } : {}),
  };
}

const toWebhookHealth = ({
  name,
  urlPath,
  failedAt,
  error,
}: RegisteredHealth): z.input<typeof WebhookHealth> => ({
  name,
  path: urlPath,
  ...optionalTimestamp("lastFailureAt", failedAt ?? undefined),
  ...(error === null ? {} : { lastError: error }),
});

const health = operations({
  path: "/payments/connectors",
  tags: ["Connectors"],
  scope: "payments",
});

/** Registers Florin's own operations on the health of connectors. */
export const registerConnectorHealth = registration(
  health.get("/health", {
    operationId: "listConnectorHealth",
    summary: "List the health of all connectors",
    description: "The newest connector comes first. Filters: `id`, `name`, `provider`.",
    ...LIST,
    answer: ok.page("A page of connectors", SummaryResponse, toSummaryView),
    handle: ({ query, body, context, c }) => {
      const request = { query, body, c, values: CONNECTOR_FILTER_VALUES };
      return listReports(context, toListQuery("connector-health", request));
    },
  }),
  health.get("/{connectorID}/health", {
    operationId: "getConnectorHealth",
    summary: "Read the health of a connector",
    description:
      "The last success, the last failure and the next run of each schedule, the number of items that its runs store, and the last delivery of each webhook that could not be read.",
    params: z.object({ connectorID: connectorIdParam() }),
    answer: ok.data("Its health", HealthResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const report = await readReport(context, params.connectorID);
      const webhooks = await readWebhookHealth(context, report.connector);
      const schedules = report.schedules.map((each) => toScheduleHealth(report.connector, each));
      return {
        ...toSummaryView(report),
        schedules,
        webhooks: webhooks.map(toWebhookHealth),
      };
    },
  }),
);
