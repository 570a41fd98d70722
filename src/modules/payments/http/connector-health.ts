import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { connectorIdParam } from "./path-ids.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { readSchedules, scheduleIdOf } from "#modules/payments/polling/list.ts";
import type { Schedule } from "#modules/payments/polling/schedule.ts";
import {
  readWebhookHealth,
  type WebhookHealth as RegisteredHealth,
} from "#modules/payments/webhooks/store.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { Count, dataOf, TimestampOutput } from "#platform/http/schemas.ts";
import { optionalTimestamp, type Timestamp } from "#platform/time.ts";

const ScheduleHealth = z.object({
  scheduleID: z.string(),
  task: z.string(),
  status: z.enum(["waiting", "running", "paused"]),
  nextRunAt: TimestampOutput.optional(),
  lastSuccessAt: TimestampOutput.optional(),
  lastFailureAt: TimestampOutput.optional(),
  lastError: z.string().optional(),
  failedRuns: Count.openapi({ description: "How many runs in a row have failed." }),
  itemsOfLastRun: Count.optional(),
  itemsOfThisRun: Count.optional(),
});

const WebhookHealth = z.object({
  name: z.string(),
  path: z.string().openapi({ description: "What follows the connector's own URL." }),
  lastFailureAt: TimestampOutput.optional().openapi({
    description:
      "When a delivery was left out that the provider has signed, but that could not be read.",
  }),
  lastError: z.string().optional(),
});

const HealthResponse = z
  .object({
    connectorID: z.string(),
    status: z.enum(["healthy", "failing", "uninstalling"]).openapi({
      description: "Failing while the last thing that happened to a schedule is a failure.",
    }),
    lastSuccessAt: TimestampOutput.optional(),
    lastFailureAt: TimestampOutput.optional(),
    lastError: z.string().optional(),
    nextRunAt: TimestampOutput.optional(),
    schedules: z.array(ScheduleHealth),
    webhooks: z
      .array(WebhookHealth)
      .openapi({ description: "Those that the connector has registered at its provider." }),
  })
  .openapi("PaymentConnectorHealth");

/** Florin's own: how a connector is doing. */
export function registerConnectorHealth(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/payments/connectors/{connectorID}/health",
      operationId: "getConnectorHealth",
      summary: "Read how a connector is doing",
      description:
        "When each of its schedules has succeeded and failed last and runs next, how many items its runs bring, and which deliveries of webhooks could not be read.",
      tags: ["Connectors"],
      scope: "payments:read",
      params: z.object({ connectorID: connectorIdParam() }),
      responses: { 200: json("Its health", dataOf(HealthResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const { connector, schedules } = await readSchedules(c.var.context, params.connectorID);
      const webhooks = await readWebhookHealth(c.var.context, connector);
      return { status: 200, body: { data: toHealthView(connector, { schedules, webhooks }) } };
    },
  );
}

function toHealthView(
  connector: InstalledConnector,
  {
    schedules,
    webhooks,
  }: { readonly schedules: readonly Schedule[]; readonly webhooks: readonly RegisteredHealth[] },
): z.input<typeof HealthResponse> {
  const failed = schedules.toSorted((a, b) => compare(b.lastFailureAt, a.lastFailureAt))[0];
  const succeeded = schedules.toSorted((a, b) => compare(b.lastSuccessAt, a.lastSuccessAt))[0];
  const next = schedules
    .filter(({ pausedAt }) => pausedAt === null)
    .toSorted((a, b) => compare(a.nextAt, b.nextAt))[0];
  const isRemoved = connector.deletedAt !== undefined;
  const status = schedules.some(isFailing) ? "failing" : "healthy";
  return {
    connectorID: encodeConnectorId(connector.id),
    status: isRemoved ? "uninstalling" : status,
    ...optionalTimestamp("lastSuccessAt", succeeded?.lastSuccessAt ?? undefined),
    ...optionalTimestamp("lastFailureAt", failed?.lastFailureAt ?? undefined),
    ...(failed?.lastError ? { lastError: failed.lastError } : {}),
    ...(isRemoved ? {} : optionalTimestamp("nextRunAt", next?.nextAt)),
    schedules: schedules.map((schedule) => toScheduleHealth(connector, schedule)),
    webhooks: webhooks.map(toWebhookHealth),
  };
}

function toScheduleHealth(
  { id }: InstalledConnector,
  schedule: Schedule,
): z.input<typeof ScheduleHealth> {
  const isPaused = schedule.pausedAt !== null;
  const isRunning = schedule.instanceKey !== null;
  return {
    scheduleID: scheduleIdOf(id, schedule),
    task: schedule.task,
    status: isPaused ? "paused" : isRunning ? "running" : "waiting",
    ...(isPaused ? {} : optionalTimestamp("nextRunAt", schedule.nextAt)),
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

const isFailing = ({ lastSuccessAt, lastFailureAt }: Schedule): boolean =>
  compare(lastFailureAt, lastSuccessAt) > 0;

/** What has never happened was before everything else. */
function compare(a: Timestamp | null, b: Timestamp | null): number {
  const [left, right] = [a ?? "", b ?? ""];
  return left === right ? 0 : left < right ? -1 : 1;
}
