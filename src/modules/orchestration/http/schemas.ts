import { z } from "@hono/zod-openapi";
import { INSTANCE_STATES } from "#modules/orchestration/instances/state.ts";
import { readConfig } from "#modules/orchestration/workflows/read-config.ts";
import { MetadataSchema, TimestampOutput } from "#platform/http/index.ts";

export const API_VERSION = "v2.6.0";

const StageConfig = z.record(z.string(), z.unknown()).openapi({
  description:
    "One key, which is the type of the stage: `send`, `delay`, `wait_event`, `update` or `noop`.",
});

const CONFIG_EXAMPLE = {
  name: "settle-order",
  stages: [{ delay: { duration: "30s" } }, { wait_event: { event: "order.${order}.shipped" } }],
};

/** The configuration of a workflow in a request, which `readConfig` checks. */
export const WorkflowRequest = z
  .custom<object>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "expected an object",
  )
  .transform(readConfig)
  .openapi("WorkflowRequest", {
    type: "object",
    properties: {
      name: { type: "string" },
      stages: { type: "array", items: { type: "object", additionalProperties: true } },
    },
    example: CONFIG_EXAMPLE,
  });

const WorkflowConfigResponse = z
  .object({ name: z.string(), stages: z.array(StageConfig) })
  .openapi("WorkflowConfig", { example: CONFIG_EXAMPLE });

export const WorkflowResponse = z
  .object({
    id: z.string(),
    config: WorkflowConfigResponse,
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
    deletedAt: TimestampOutput.optional(),
  })
  .openapi("Workflow");

/** The variables of an instance, texts by name; null and an absent body stand for no variables. */
export const VariablesRequest = MetadataSchema.nullish().transform((variables) => variables ?? {});

const StageStatusResponse = z
  .object({
    stage: z.int().min(0),
    instanceID: z.string(),
    startedAt: TimestampOutput,
    terminatedAt: TimestampOutput.optional(),
    error: z.string().optional(),
  })
  .openapi("StageStatus");

const HoldResponse = z
  .object({
    reason: z.string().openapi({ example: "it waits for the event 'go'" }),
    since: TimestampOutput,
    until: TimestampOutput.optional(),
    event: z.string().optional(),
    activity: z.string().optional(),
    attempts: z.int().min(1).optional(),
    lastFailure: z.string().optional(),
    nextAttemptAt: TimestampOutput.optional(),
  })
  .openapi("WorkflowInstanceHold", {
    description:
      "Florin's own: why an instance does not go on. The instance waits `until` a time or for an `event`, or an `activity` has failed and is tried again.",
  });

export const InstanceResponse = z
  .object({
    id: z.string(),
    workflowID: z.string(),
    workflow: WorkflowResponse.optional(),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
    terminated: z.boolean(),
    terminatedAt: TimestampOutput.optional(),
    status: z.array(StageStatusResponse).optional(),
    error: z.string().optional(),
    state: z.enum(INSTANCE_STATES).optional().openapi({
      description: "Florin's own: how the instance is, in lists and where it is read.",
    }),
    hold: HoldResponse.optional(),
  })
  .openapi("WorkflowInstance");

export const EventRequest = z
  .object({ name: z.string().nullish() })
  .openapi("WorkflowEventRequest", { example: { name: "order.42.shipped" } });

export const StageHistoryResponse = z
  .object({
    name: z.string().openapi({ example: "RunSend" }),
    input: z.record(z.string(), z.unknown()).openapi({
      description: "The stage with its variables put in and its standard values.",
    }),
    error: z.string().optional(),
    terminated: z.boolean(),
    startedAt: TimestampOutput,
    terminatedAt: TimestampOutput.optional(),
  })
  .openapi("WorkflowInstanceHistory");

export const ActivityHistoryResponse = z
  .object({
    name: z.string().openapi({ example: "CreateTransaction" }),
    input: z.record(z.string(), z.unknown()).openapi({
      description: "What was asked for, under the name of the activity.",
    }),
    output: z.record(z.string(), z.unknown()).optional().openapi({
      description: "What came of it, under the name of the activity.",
    }),
    error: z.string().optional(),
    terminated: z.boolean(),
    startedAt: TimestampOutput,
    terminatedAt: TimestampOutput.optional(),
    attempt: z.int().min(1).openapi({
      description: "The number of the attempt that is next or under way; 1 once it has ended.",
    }),
    lastFailure: z.string().optional(),
    nextExecution: TimestampOutput.optional(),
  })
  .openapi("WorkflowInstanceActivity");

export const MomentResponse = z
  .object({
    at: TimestampOutput,
    kind: z.string().openapi({ example: "activity-succeeded" }),
    stage: z.int().min(0).optional(),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("WorkflowInstanceMoment");
