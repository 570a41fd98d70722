import { z } from "@hono/zod-openapi";
import type { WebhookConfig } from "./core/config.ts";
import { EVENT_VERSION } from "#platform/events/envelope.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { TimestampOutput } from "#platform/http/schemas.ts";
import { type Timestamp, formatTimestamp } from "#platform/time.ts";

export const WEBHOOK_EVENT_TYPES = {
  DEACTIVATED_CONFIG: {
    description:
      "A webhook config was deactivated, because its endpoint has failed for too long. Deliveries that waited have failed and can be replayed.",
    payload: z.object({
      configId: z.string(),
      endpoint: z.string(),
      name: z.string(),
      deactivatedAt: TimestampOutput,
    }),
    example: {
      configId: "4997257d-dfb6-445b-929c-cbe2ab182818",
      endpoint: "https://hooks.example.com/in",
      name: "orders",
      deactivatedAt: "2026-03-06T09:30:00Z",
    },
  },
} as const satisfies EventTypeTable;

/** The event of a config whose `revision` was deactivated. Its id is the same for every attempt to deactivate this revision. */
export const deactivatedEvent = (
  { id, endpoint, name }: Pick<WebhookConfig, "id" | "endpoint" | "name">,
  { revision, now }: { readonly revision: number; readonly now: Timestamp },
): OutboxEvent => ({
  event: {
    id: `webhooks:${id}:${revision}`,
    app: "webhooks",
    version: EVENT_VERSION,
    type: "DEACTIVATED_CONFIG" satisfies keyof typeof WEBHOOK_EVENT_TYPES,
    date: now,
    idempotencyKey: "",
    payload: { configId: id, endpoint, name, deactivatedAt: formatTimestamp(now) },
  },
});
