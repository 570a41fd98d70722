import { z } from "@hono/zod-openapi";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { CONNECTOR_HEALTHS } from "#modules/payments/core/connector-health.ts";
import { CAPABILITIES } from "#modules/payments/core/enums.ts";
import { type ConnectorId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import { showConfig } from "#modules/payments/installs/config.ts";
import type { ConfiguredConnector } from "#modules/payments/installs/list.ts";
import { type Instance, scheduleIdOf } from "#modules/payments/polling/list.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import type { ServiceContext } from "#platform/context.ts";
import { TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

/** A configuration in a request. Each kind has its own fields, which are checked when the kind is known. */
export const ConfigRequest = z.unknown().openapi("PaymentConnectorConfigRequest", {
  type: "object",
  description:
    "`name`, `pollingPeriod`, and the fields that `GET /v3/connectors/configs` lists for the kind of the connector. The case of the names does not matter, and other members are ignored.",
});

export const ConfigResponse = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .openapi("PaymentConnectorConfig", {
    description:
      "The fields of the kind, `name`, `pollingPeriod` and `provider`. Secrets are masked for clients that may only read.",
  });

export const ConnectorResponse = z
  .object({
    id: z.string(),
    reference: z.string(),
    name: z.string(),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput.optional(),
    provider: z.string(),
    config: ConfigResponse,
    scheduledForDeletion: z.boolean(),
    state: z.enum(CONNECTOR_HEALTHS).openapi({
      description:
        "The health of its schedules and movements; `GET /api/florin/v1/payments/connectors/health` has the details.",
    }),
    capabilities: z.array(z.enum(CAPABILITIES)),
  })
  .openapi("PaymentConnector");

export const ScheduleResponse = z
  .object({
    id: z.string(),
    connectorID: z.string(),
    createdAt: TimestampOutput,
    pausedAt: TimestampOutput.optional(),
    pausedReason: z.string().optional(),
  })
  .openapi("PaymentSchedule");

export const InstanceResponse = z
  .object({
    id: z.string(),
    scheduleID: z.string(),
    connectorID: z.string(),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
    terminated: z.boolean(),
    terminatedAt: TimestampOutput.optional(),
    error: z.string().optional(),
  })
  .openapi("PaymentScheduleInstance");

export function toConnectorView(
  { connector, config, health }: ConfiguredConnector,
  context: ServiceContext,
): z.input<typeof ConnectorResponse> {
  const { id, name, createdAt, updatedAt, deletedAt } = connector;
  return {
    id: encodeConnectorId(id),
    reference: id.reference,
    name,
    createdAt: formatTimestamp(createdAt),
    ...optionalTimestamp("updatedAt", updatedAt),
    provider: id.provider,
    config: showConfig(connector, config, context),
    scheduledForDeletion: deletedAt !== undefined,
    state: health,
    capabilities: [...(kindOf(id.provider)?.capabilities ?? [])],
  };
}

export const toScheduleView = (
  connector: ConnectorId,
  schedule: Schedule,
): z.input<typeof ScheduleResponse> => ({
  id: scheduleIdOf(connector, schedule),
  connectorID: encodeConnectorId(connector),
  createdAt: formatTimestamp(schedule.createdAt),
  ...optionalTimestamp("pausedAt", schedule.pausedAt ?? undefined),
  ...(schedule.pausedReason === null ? {} : { pausedReason: schedule.pausedReason }),
});

export const toInstanceView = (
  { connector, scheduleId }: { readonly connector: ConnectorId; readonly scheduleId: string },
  { key, createdAt, updatedAt, terminatedAt, error }: Instance,
): z.input<typeof InstanceResponse> => ({
  id: `${scheduleId}-${key}`,
  scheduleID: scheduleId,
  connectorID: encodeConnectorId(connector),
  createdAt: formatTimestamp(createdAt),
  updatedAt: formatTimestamp(updatedAt),
  terminated: terminatedAt !== null,
  ...optionalTimestamp("terminatedAt", terminatedAt ?? undefined),
  ...(error === null ? {} : { error }),
});
