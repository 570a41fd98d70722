import { z } from "@hono/zod-openapi";
import { paymentEvent } from "#modules/payments/common/events.ts";
import type {
  ConnectorHealth,
  healthNews,
  HealthPart,
} from "#modules/payments/core/connector-health.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp, optionalTimestamp, type Timestamp } from "#platform/time.ts";

const Payload = z.object({
  connectorID: z.string(),
  provider: z.string(),
  name: z.string(),
  at: TimestampOutput,
});

const Trouble = Payload.extend({
  error: z.string().optional().openapi({ description: "The last error." }),
});

const EXAMPLE = {
  connectorID:
    "eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifQ",
  provider: "generic",
  name: "Main bank",
};
const ERROR = "GET /transactions: the provider answered 502: Bad Gateway";

export const HEALTH_EVENT_TYPES = {
  CONNECTOR_FAILING: {
    description:
      "A run of a schedule of a connector broke off, or a fifth attempt in a row of a movement of money had no outcome. Both are repeated without intervention. Nothing more is published before the connector is paused or has recovered.",
    payload: Trouble,
    example: { ...EXAMPLE, at: "2026-03-06T09:30:00Z", error: ERROR },
  },
  CONNECTOR_PAUSED: {
    description:
      "Ten runs in a row of a schedule of a connector broke off. From now on, one request probes the provider after pauses that grow to an hour at most, and polling resumes without intervention when the provider answers.",
    payload: Trouble.extend({
      nextRunAt: TimestampOutput.optional().openapi({
        description: "The time of the first probe.",
      }),
    }),
    example: {
      ...EXAMPLE,
      at: "2026-03-06T14:30:00Z",
      error: ERROR,
      nextRunAt: "2026-03-06T15:00:00Z",
    },
  },
  CONNECTOR_RECOVERED: {
    description:
      "A connector that was failing or paused has recovered: the last run of each schedule has completed, and no movement of money has failed five times in a row.",
    payload: Payload.extend({
      previous: z.enum(["failing", "paused"]),
      since: TimestampOutput.optional().openapi({
        description: "The time since which the connector was failing or paused.",
      }),
    }),
    example: {
      ...EXAMPLE,
      at: "2026-03-06T16:00:00Z",
      previous: "paused",
      since: "2026-03-06T14:30:00Z",
    },
  },
} as const satisfies EventTypeTable;

export interface HealthChange {
  readonly type: NonNullable<ReturnType<typeof healthNews>>;
  /** The number of this change among those of the connector's health. */
  readonly version: number;
  readonly at: Timestamp;
  readonly before: { readonly health: ConnectorHealth; readonly since: Timestamp | undefined };
  readonly after: HealthPart;
  readonly nextRunAt: Timestamp | undefined;
}

/** The event for a change of a connector's health. Events of one connector are delivered in order. */
export function healthEvent(
  { id, name }: InstalledConnector,
  { type, version, at, before, after, nextRunAt }: HealthChange,
): OutboxEvent {
  const connectorID = encodeConnectorId(id);
  const common = { connectorID, provider: id.provider, name, at: formatTimestamp(at) };
  const error = after.error === undefined ? {} : { error: after.error };
  const payload = {
    CONNECTOR_FAILING: { ...common, ...error },
    CONNECTOR_PAUSED: { ...common, ...error, ...optionalTimestamp("nextRunAt", nextRunAt) },
    CONNECTOR_RECOVERED: {
      ...common,
      previous: before.health,
      ...optionalTimestamp("since", before.since),
    },
  }[type];
  return {
    orderKey: `payments-connector:${id.reference}`,
    event: paymentEvent({
      type: type satisfies keyof typeof HEALTH_EVENT_TYPES,
      connector: id,
      key: `${connectorID}-health-${version}`,
      date: at,
      payload,
    }),
  };
}
