import { z } from "@hono/zod-openapi";
import { EVENT_VERSION, type PlatformEvent } from "#platform/events/envelope.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import type { Timestamp } from "#platform/time.ts";

const OCCURRENCE = "5a1c1d0f-3f5e-4e0b-9b6d-6f0a2c7d4e11";
const TRIGGER = "c2f0b8de-7a44-4a39-8a52-0d9f5b1e6c33";

const OfOccurrence = z.object({
  id: z.string().openapi({ description: "The occurrence." }),
  triggerID: z.string(),
});

export const TRIGGER_EVENT_TYPES = {
  SUCCEEDED_TRIGGER: {
    description: "A trigger has started an instance of its workflow.",
    payload: OfOccurrence.extend({ workflowInstanceID: z.string() }),
    example: {
      id: OCCURRENCE,
      triggerID: TRIGGER,
      workflowInstanceID: "77ae2f6c-9f55-4d58-8f2b-3f1c5e6f7a21",
    },
  },
  FAILED_TRIGGER: {
    description:
      "A trigger should have started an instance, but its variables have no values, or its filter failed; of the failures of a filter, only the first one in each hour is reported.",
    payload: OfOccurrence.extend({ error: z.string() }),
    example: {
      id: OCCURRENCE,
      triggerID: TRIGGER,
      error: "variable 'role': link 'owner' not defined for object",
    },
  },
  STOPPED_TRIGGER: {
    description:
      "A trigger fires no more until it is resumed, as it was part of a loop: more triggers than are allowed led, one after the other, to an event that it fires for.",
    payload: z.object({
      triggerID: z.string(),
      occurrenceID: z.string().openapi({ description: "The occurrence of that event." }),
      depth: z.int().openapi({ description: "How many triggers led to the event." }),
    }),
    example: { triggerID: TRIGGER, occurrenceID: OCCURRENCE, depth: 16 },
  },
} as const satisfies EventTypeTable;

/** The event `STOPPED_TRIGGER`. Its guard (`Outbox.publish`) names the occurrence at which the trigger was stopped. */
export const stoppedEvent = ({
  triggerId,
  occurrenceId,
  depth,
  date,
}: {
  readonly triggerId: string;
  readonly occurrenceId: string;
  readonly depth: number;
  readonly date: Timestamp;
}): OutboxEvent => ({
  event: {
    id: `orchestration:triggers/${triggerId}/stops/${occurrenceId}`,
    app: "orchestration",
    version: EVENT_VERSION,
    type: "STOPPED_TRIGGER" satisfies keyof typeof TRIGGER_EVENT_TYPES,
    date,
    idempotencyKey: "",
    payload: { triggerID: triggerId, occurrenceID: occurrenceId, depth },
  },
  guard: { occurrenceId, attempts: STOPS } satisfies OccurrenceGuard,
});

/** Stands in the guard of a `STOPPED_TRIGGER` event for the number of attempts. */
export const STOPS = "stops";

/** The guard of an event of an occurrence, which also names the attempt that has ended the occurrence. */
export type OccurrenceGuard = Readonly<{
  occurrenceId: string;
  attempts: number | typeof STOPS;
}>;

/** The final result of an occurrence: an instance was started, or none ever will be. */
export type FiringResult =
  | { readonly kind: "started"; readonly instanceId: string }
  | {
      readonly kind: "failed";
      readonly error: string;
      /** Whether this failure stops the trigger. */
      readonly stops?: boolean;
    };

/**
 * The event `SUCCEEDED_TRIGGER` or `FAILED_TRIGGER` of the occurrence `id`, without a guard. Its id follows from the occurrence, which has only one
 * result. A result that stops the trigger needs a `stoppedEvent` besides.
 */
export function triggerEvent(
  { id, triggerId, date }: { id: string; triggerId: string; date: Timestamp },
  result: FiringResult,
): OutboxEvent {
  const event: PlatformEvent = {
    id: `orchestration:occurrences/${id}`,
    app: "orchestration",
    version: EVENT_VERSION,
    type: result.kind === "started" ? "SUCCEEDED_TRIGGER" : "FAILED_TRIGGER",
    date,
    idempotencyKey: "",
    payload: {
      id,
      triggerID: triggerId,
      ...(result.kind === "started"
        ? { workflowInstanceID: result.instanceId }
        : { error: result.error }),
    },
  };
  return { event };
}
