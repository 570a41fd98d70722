import { z } from "@hono/zod-openapi";
import { InstanceResponse } from "./schemas.ts";
import { toBareInstanceView } from "./views.ts";
import type { VariableResult } from "#modules/orchestration/triggers/expressions.ts";
import type { Occurrence } from "#modules/orchestration/triggers/occurrence.ts";
import type { TriggerTest } from "#modules/orchestration/triggers/test.ts";
import type { Trigger } from "#modules/orchestration/triggers/trigger.ts";
import { MetadataSchema, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const text = (description: string) =>
  z
    .string()
    .nullish()
    .transform((value) => value ?? "")
    .openapi({ description });

/** A new trigger. The use case reports missing fields, in the order in which the reference does. */
export const TriggerRequest = z
  .object({
    name: text("Any text."),
    event: text("The type of the events that it fires for. Required."),
    version: text("The version of these events. Any, without it."),
    filter: text("An expression that decides for which of them it fires. For all, without it."),
    workflowID: text("The workflow of which it starts an instance each time. Required."),
    vars: MetadataSchema.nullish()
      .transform((vars) => vars ?? {})
      .openapi({ description: "The instance's variables: an expression by the name of each." }),
  })
  .openapi("TriggerRequest", {
    example: {
      name: "payouts",
      event: "SAVED_PAYMENT",
      filter: 'event.type == "PAY-IN" and event.status == "SUCCEEDED"',
      workflowID: "0b6f0e0a-6a0e-4a53-8d3c-0a5f6a3b9f11",
      vars: { payment: "event.id", role: 'link(event, "source_account").metadata.role' },
    },
  });

export const TriggerResponse = z
  .object({
    id: z.string(),
    name: z.string(),
    event: z.string(),
    version: z.string().optional(),
    filter: z.string().optional(),
    workflowID: z.string(),
    vars: z.record(z.string(), z.string()).optional(),
    createdAt: TimestampOutput,
  })
  .openapi("Trigger");

export const toTriggerView = (trigger: Trigger): z.output<typeof TriggerResponse> => ({
  id: trigger.id,
  name: trigger.name,
  event: trigger.event,
  ...(trigger.version === undefined ? {} : { version: trigger.version }),
  ...(trigger.filter === undefined ? {} : { filter: trigger.filter }),
  workflowID: trigger.workflowId,
  ...(Object.keys(trigger.vars).length === 0 ? {} : { vars: { ...trigger.vars } }),
  createdAt: formatTimestamp(trigger.createdAt),
});

export const OccurrenceResponse = z
  .object({
    id: z.string(),
    triggerID: z.string(),
    workflowInstanceID: z.string().optional(),
    workflowInstance: InstanceResponse.optional(),
    date: TimestampOutput,
    event: z.record(z.string(), z.unknown()).openapi({
      description: "The event with its envelope, as webhooks get it.",
    }),
    error: z.string().optional(),
  })
  .openapi("TriggerOccurrence");

export const toOccurrenceView = (occurrence: Occurrence): z.output<typeof OccurrenceResponse> => ({
  id: occurrence.id,
  triggerID: occurrence.triggerId,
  ...(occurrence.instance === undefined
    ? {}
    : {
        workflowInstanceID: occurrence.instance.id,
        workflowInstance: toBareInstanceView(occurrence.instance),
      }),
  date: formatTimestamp(occurrence.date),
  event: { ...occurrence.event },
  ...(occurrence.error === undefined ? {} : { error: occurrence.error }),
});

/** A payload; null and an absent body stand for nil. */
export const TriggerTestRequest = z
  .record(z.string(), z.unknown())
  .nullish()
  .openapi("TriggerTestRequest", {
    description: "The payload of an event.",
    example: { type: "PAY-IN", status: "SUCCEEDED" },
  });

export const TriggerTestResponse = z
  .object({
    filter: z.object({ match: z.boolean(), error: z.string().optional() }).optional(),
    variables: z
      .record(z.string(), z.object({ value: z.string().optional(), error: z.string().optional() }))
      .optional(),
  })
  .openapi("TriggerTest");

/** The result of a test; without variables, the answer does not mention them. */
export function toTriggerTestView({
  filter,
  variables,
}: TriggerTest): z.output<typeof TriggerTestResponse> {
  const values = Object.entries(variables ?? {});
  return {
    ...(filter === undefined
      ? {}
      : {
          filter:
            filter.kind === "error"
              ? { match: false, error: filter.error }
              : { match: filter.kind === "match" },
        }),
    ...(values.length === 0
      ? {}
      : { variables: Object.fromEntries(values.map(([name, it]) => [name, toVariableView(it)])) }),
  };
}

function toVariableView(result: VariableResult) {
  if (result.kind === "error") return { error: result.error };
  return result.value === "" ? {} : { value: result.value };
}
