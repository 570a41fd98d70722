import { z } from "@hono/zod-openapi";
import { EVENT_VERSION, type PlatformEvent } from "#platform/events/envelope.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import type { Timestamp } from "#platform/time.ts";

const WORKFLOW = "0b6f0e0a-6a0e-4a53-8d3c-0a5f6a3b9f11";
const INSTANCE = "77ae2f6c-9f55-4d58-8f2b-3f1c5e6f7a21";

const OfInstance = z.object({
  id: z.string().openapi({ description: "The workflow." }),
  instanceID: z.string(),
});
const OfStage = OfInstance.extend({ number: z.int().min(0) });
const WITH_ERROR = { error: z.string() };
const instanceExample = { id: WORKFLOW, instanceID: INSTANCE };
const stageExample = { ...instanceExample, number: 0 };

export const INSTANCE_EVENT_TYPES = {
  STARTED_WORKFLOW: {
    description: "An instance of a workflow has started.",
    payload: OfInstance,
    example: instanceExample,
  },
  STARTED_WORKFLOW_STAGE: {
    description: "An instance has come to a stage.",
    payload: OfStage,
    example: stageExample,
  },
  SUCCEEDED_WORKFLOW_STAGE: {
    description: "A stage of an instance is done.",
    payload: OfStage,
    example: stageExample,
  },
  FAILED_WORKFLOW_STAGE: {
    description: "A stage of an instance has failed, and the instance with it.",
    payload: OfStage.extend(WITH_ERROR),
    example: { ...stageExample, error: "negative amount" },
  },
  SUCCEEDED_WORKFLOW: {
    description: "All stages of an instance are done.",
    payload: OfInstance,
    example: instanceExample,
  },
  FAILED_WORKFLOW: {
    description: "An instance has failed or was aborted.",
    payload: OfInstance.extend(WITH_ERROR),
    example: { ...instanceExample, error: "negative amount" },
  },
} as const satisfies EventTypeTable;

export type InstanceEventType = keyof typeof INSTANCE_EVENT_TYPES;

/** The instance that an event is about, and the round that the instance is in. */
export interface InstanceOrigin {
  readonly id: string;
  readonly workflowId: string;
  readonly round: number;
}

/** An event of an instance. Events of one instance are delivered in order. */
export function instanceEvent(
  { id, workflowId, round }: InstanceOrigin,
  event: {
    readonly type: InstanceEventType;
    readonly date: Timestamp;
    readonly number?: number;
    readonly error?: string;
  },
): OutboxEvent {
  const { type, date, number, error } = event;
  const stage = number === undefined ? "" : `/${number}`;
  const named: PlatformEvent = {
    id: `orchestration:${id}/${round}${stage}/${type.toLowerCase()}`,
    app: "orchestration",
    version: EVENT_VERSION,
    type,
    date,
    idempotencyKey: "",
    payload: {
      id: workflowId,
      instanceID: id,
      ...(number === undefined ? {} : { number }),
      ...(error === undefined ? {} : { error: error === "" ? "unknown error" : error }),
    },
  };
  return { event: named, orderKey: `orchestration:${id}` };
}
