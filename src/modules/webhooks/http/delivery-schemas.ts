import { z } from "@hono/zod-openapi";
import { DELIVERY_STATUSES } from "#modules/webhooks/core/delivery.ts";
import { TimestampInput, TimestampOutput } from "#platform/http/index.ts";

export const PAGE_SIZE = 100;
export const PAGE_SIZE_MAX = 1000;
/** Longest time between the oldest and the newest delivery of a bulk replay, in milliseconds. */
export const REPLAY_WINDOW_MS_MAX = 90 * 24 * 3_600_000;
/** Most configs that one bulk replay names. */
const CONFIG_IDS_MAX = 500;
const KEY_LENGTH_MAX = 255;
const CURSOR_LENGTH_MAX = 2000;
/** Longest cursor of a bulk replay. It repeats the ids of the configs: 39 characters of JSON each, which become 52 in base64. */
const REPLAY_CURSOR_LENGTH_MAX = CURSOR_LENGTH_MAX + CONFIG_IDS_MAX * 52;

const PAGE_SIZE_FAULT = `pageSize must be between 1 and ${PAGE_SIZE_MAX}`;

/** A parameter that may be absent; an empty one counts as absent. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema.optional());

const PageSize = z
  .string("query parameters must have one value")
  .regex(/^\d{1,5}$/, PAGE_SIZE_FAULT)
  .transform(Number)
  .refine((size) => size >= 1 && size <= PAGE_SIZE_MAX, PAGE_SIZE_FAULT)
  .openapi({ type: "integer", minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE });

const Cursor = z
  .string("query parameters must have one value")
  .max(CURSOR_LENGTH_MAX)
  .openapi({ description: "A cursor of an earlier answer, which also holds its filters." });

const unsupported = (issue: { code?: string; keys?: readonly string[] }): string | undefined =>
  issue.code === "unrecognized_keys"
    ? `unsupported query parameter: ${issue.keys?.join(", ")}`
    : undefined;

export const DeliveriesQuery = z.strictObject(
  {
    configId: optional(z.uuid("configId must be a UUID").toLowerCase()),
    status: optional(z.enum(DELIVERY_STATUSES, "invalid delivery status")),
    createdAtFrom: optional(TimestampInput).openapi({ description: "Inclusive." }),
    createdAtTo: optional(TimestampInput).openapi({ description: "Inclusive." }),
    cursor: optional(Cursor),
    pageSize: optional(PageSize),
  },
  { error: unsupported },
);

export const AttemptsQuery = z.object({ cursor: optional(Cursor), pageSize: optional(PageSize) });

export const DeliveryParams = z.object({ id: z.string() });

/** The `Idempotency-Key` header, which every replay needs. */
export const ReplayKey = z
  .string("Idempotency-Key header is required")
  .min(1, "Idempotency-Key header is required")
  .max(KEY_LENGTH_MAX, `Idempotency-Key must not exceed ${KEY_LENGTH_MAX} characters`);

export const ReplayRequest = z
  .strictObject(
    {
      createdAtFrom: z
        .unknown()
        .refine((value) => value !== undefined && value !== null, "createdAtFrom is required")
        .pipe(TimestampInput)
        .openapi({ type: "string", format: "date-time" }),
      createdAtTo: TimestampInput.optional(),
      statuses: z
        .array(
          z.enum(["failed", "pending"], "bulk replay only accepts failed and pending statuses"),
        )
        .optional()
        .openapi({ description: "Both where none is named." }),
      configIds: z
        .array(z.uuid("configIds must contain UUIDs").toLowerCase())
        .max(CONFIG_IDS_MAX)
        .optional(),
      cursor: z.string().max(REPLAY_CURSOR_LENGTH_MAX).optional(),
      pageSize: z
        .int(PAGE_SIZE_FAULT)
        .min(0, PAGE_SIZE_FAULT)
        .max(PAGE_SIZE_MAX, PAGE_SIZE_FAULT)
        .optional()
        .openapi({ description: `0 stands for ${PAGE_SIZE_MAX}.` }),
    },
    {
      error: (issue) =>
        issue.code === "unrecognized_keys" ? `unknown field ${issue.keys.join(", ")}` : undefined,
    },
  )
  .openapi("WebhookReplayRequest");

export const Delivery = z
  .object({
    id: z.string(),
    eventID: z.string(),
    idempotencyKey: z.string().optional(),
    configID: z.string(),
    eventType: z.string(),
    payload: z.string().optional().openapi({
      description: "What its attempts send. Not in lists, nor where the event is gone.",
    }),
    status: z.enum(DELIVERY_STATUSES),
    attemptCount: z.int().openapi({ description: "Attempts since it was last replayed." }),
    replayGeneration: z.int(),
    cycleStartedAt: TimestampOutput.optional(),
    nextAttemptAt: TimestampOutput.optional(),
    claimedAt: TimestampOutput.optional(),
    lastAttemptAt: TimestampOutput.optional(),
    lastStatusCode: z.int().optional(),
    lastError: z.string().optional(),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
  })
  .openapi("WebhookDelivery");

const Attempt = z
  .object({
    id: z.string(),
    deliveryID: z.string(),
    attemptNumber: z.int().openapi({ description: "Counts from 1 in each generation." }),
    replayGeneration: z.int(),
    endpoint: z.string(),
    outcome: z.enum(["succeeded", "retryable_failure", "permanent_failure"]),
    statusCode: z.int().openapi({ description: "0 when no answer came." }),
    error: z.string().optional(),
    durationMillis: z.int(),
    responseExcerpt: z.string().optional(),
    createdAt: TimestampOutput,
  })
  .openapi("WebhookDeliveryAttempt");

/** The schema of a page. `next` is absent on the last page. */
const pageOf = <T extends z.ZodType>(schema: T) =>
  z.object({
    cursor: z.object({
      pageSize: z.int(),
      hasMore: z.boolean(),
      next: z.string().optional(),
      data: z.array(schema),
    }),
  });

export const DeliveryResponse = z.object({ data: Delivery }).openapi("WebhookDeliveryResponse");
export const DeliveriesResponse = pageOf(Delivery).openapi("WebhookDeliveriesResponse");
export const AttemptsResponse = pageOf(Attempt).openapi("WebhookDeliveryAttemptsResponse");

export const ReplayResponse = z
  .object({
    data: z.object({
      replayed: z.int().openapi({ description: "Deliveries that had failed." }),
      expedited: z.int().openapi({ description: "Deliveries that were pending." }),
      skipped: z.int().openapi({ description: "Deliveries that changed in the meantime." }),
      hasMore: z.boolean(),
      nextCursor: z.string().optional(),
      createdAtTo: TimestampOutput,
    }),
  })
  .openapi("WebhookReplayResponse");
