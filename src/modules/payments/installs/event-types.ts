import { z } from "@hono/zod-openapi";
import { paymentEvent } from "#modules/payments/common/events.ts";
import { type ConnectorId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

export const CONNECTOR_EVENT_TYPES = {
  CONNECTOR_RESET: {
    description:
      "A connector was reset: everything that was stored for it is deleted, and a new connector with its configuration polls everything again.",
    payload: z.object({
      createdAt: TimestampOutput,
      connectorID: z.string().openapi({ description: "The id of the connector before the reset." }),
    }),
    example: {
      createdAt: "2026-03-06T09:30:00Z",
      connectorID:
        "eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifQ",
    },
  },
} as const satisfies EventTypeTable;

export function connectorResetEvent(id: ConnectorId, now: Timestamp): OutboxEvent {
  const connectorID = encodeConnectorId(id);
  const createdAt = formatTimestamp(now);
  return {
    event: paymentEvent({
      type: "CONNECTOR_RESET" satisfies keyof typeof CONNECTOR_EVENT_TYPES,
      connector: id,
      key: `${connectorID}-${createdAt}`,
      date: now,
      payload: { createdAt, connectorID },
    }),
  };
}
