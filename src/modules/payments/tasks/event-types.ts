import { z } from "@hono/zod-openapi";
import { connectorOf, type Task } from "./task.ts";
import { paymentEvent } from "#modules/payments/common/events.ts";
import { TASK_STATUSES } from "#modules/payments/core/enums.ts";
import { encodeConnectorId, encodeOwnedId, idempotencyKeyOf } from "#modules/payments/core/ids.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp } from "#platform/time.ts";

export const TASK_EVENT_TYPES = {
  UPDATED_TASK: {
    description: "A task was begun, or has ended.",
    payload: z.object({
      id: z.string(),
      connectorID: z.string().nullable(),
      status: z.enum(TASK_STATUSES),
      createdAt: TimestampOutput,
      updatedAt: TimestampOutput,
      createdObjectID: z.string().nullable(),
      error: z.string().nullable(),
    }),
    example: {
      id: "eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifSwiUmVmZXJlbmNlIjoidW5pbnN0YWxsLWZsb3Jpbi1nZW5lcmljLTExMTExMTExLTIyMjItNDMzMy04NDQ0LTU1NTU1NTU1NTU1NSJ9",
      connectorID: null,
      status: "SUCCEEDED",
      createdAt: "2026-03-06T09:30:00Z",
      updatedAt: "2026-03-06T09:30:02Z",
      createdObjectID:
        "eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifQ",
      error: null,
    },
  },
} as const satisfies EventTypeTable;

/** The event for a changed task. The connector in the task's id may have been uninstalled when the event is sent. */
export function updatedTaskEvent(task: Task): OutboxEvent {
  const connector = connectorOf(task);
  const payload = {
    id: encodeOwnedId(task.id),
    connectorID: connector === undefined ? null : encodeConnectorId(connector),
    status: task.status,
    createdAt: formatTimestamp(task.createdAt),
    updatedAt: formatTimestamp(task.updatedAt),
    createdObjectID: task.createdObjectId ?? null,
    error: task.error ?? null,
  };
  const type = "UPDATED_TASK" satisfies keyof typeof TASK_EVENT_TYPES;
  const key = idempotencyKeyOf(payload);
  const event = paymentEvent({
    type,
    key,
    date: task.updatedAt,
    payload,
    ...(connector === undefined ? {} : { connector }),
  });
  // Consumers learn of the beginning of a task before its end.
  return { event, orderKey: `payments-task:${idempotencyKeyOf(payload.id)}` };
}
