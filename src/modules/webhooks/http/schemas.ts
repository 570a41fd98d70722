import { Buffer } from "node:buffer";
import { z } from "@hono/zod-openapi";
import { SECRET_BYTES } from "#modules/webhooks/services/webhook-service.ts";
import { TimestampOutput } from "#platform/http/index.ts";
import { SECRET_MASK } from "#platform/secrets/url-secrets.ts";

/** Most event types of one config, and the longest name of an event type. */
const EVENT_TYPES_MAX = 200;
const EVENT_TYPE_LENGTH_MAX = 255;
const NAME_LENGTH_MAX = 255;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A secret that a client chooses; an empty text counts as absent. */
const SecretInput = z
  .string()
  .regex(BASE64, "should be base64 encoded")
  .refine(
    (secret) => secret === "" || Buffer.from(secret, "base64").length === SECRET_BYTES,
    `should be of size ${SECRET_BYTES} when decoded`,
  )
  .transform((secret) => (secret === "" ? undefined : secret))
  .openapi({
    type: "string",
    description: `Base64 of ${SECRET_BYTES} bytes. If it is empty, the server makes one.`,
  });

/** The error of an unknown field. Other modules ignore such fields; this one refuses them, because clients rely on the refusal. */
const unknownField = (issue: { code?: string; keys?: readonly string[] }): string | undefined =>
  issue.code === "unrecognized_keys" ? `unknown field ${issue.keys?.join(", ")}` : undefined;

const CONFIG_FIELDS = {
  endpoint: z.string().openapi({
    format: "uri",
    example: "https://hooks.example.com/in",
    description: `Values of parameters whose names speak of a secret, such as \`token\` or \`api_key\`, are stored encrypted and shown as \`${SECRET_MASK}\`. An update of the same server that sends \`${SECRET_MASK}\` back keeps the stored secret.`,
  }),
  secret: SecretInput.optional(),
  eventTypes: z
    .array(z.string().min(1).max(EVENT_TYPE_LENGTH_MAX).toLowerCase())
    .min(1, "should be filled")
    .max(EVENT_TYPES_MAX)
    .openapi({ example: ["ledger.committed_transactions"] }),
  name: z
    .string()
    .max(NAME_LENGTH_MAX)
    .optional()
    .openapi({ description: "An update without a name keeps the stored one." }),
};

/** Whether a change of the secret ends all earlier secrets at once. */
const Immediate = z
  .boolean()
  .default(false)
  .openapi({ description: "Ends all earlier secrets at once, also if the secret stays the same." });

export const ConfigRequest = z
  .strictObject(CONFIG_FIELDS, { error: unknownField })
  .openapi("WebhookConfigRequest");

export const ConfigUpdateRequest = z
  .strictObject({ ...CONFIG_FIELDS, immediate: Immediate }, { error: unknownField })
  .openapi("WebhookConfigUpdateRequest");

/** The body of a change of the secret; clients may send none. */
export const SecretRequest = z
  .strictObject({ secret: SecretInput.optional(), immediate: Immediate }, { error: unknownField })
  .nullish()
  .openapi("WebhookSecretRequest");

export const ConfigParams = z.object({ id: z.string() });

const FILTER_FAULT = "only 'id' and 'endpoint' with a valid URL are accepted, each once";

export const ConfigsQuery = z.strictObject(
  {
    id: z.string(FILTER_FAULT).optional(),
    endpoint: z
      .string(FILTER_FAULT)
      .refine((text) => URL.canParse(text), FILTER_FAULT)
      .optional(),
  },
  { error: FILTER_FAULT },
);

const Config = z
  .object({
    endpoint: z.string(),
    secret: z.string(),
    eventTypes: z.array(z.string()),
    id: z.string(),
    active: z.boolean(),
    name: z.string(),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
  })
  .openapi("WebhookConfig");

export const ConfigResponse = z.object({ data: Config }).openapi("WebhookConfigResponse");

/** All configs; the list has no pages, but the form of one. */
export const ConfigsResponse = z
  .object({ cursor: z.object({ hasMore: z.boolean(), data: z.array(Config) }) })
  .openapi("WebhookConfigsResponse");

const TestAttempt = z
  .object({
    id: z.string(),
    webhookID: z.string(),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
    config: Config,
    payload: z.string(),
    statusCode: z.int().openapi({ description: "0 when no answer came." }),
    retryAttempt: z.literal(0),
    status: z.enum(["success", "failed"]),
    nextRetryAfter: TimestampOutput,
  })
  .openapi("WebhookTestAttempt");

export const TestResponse = z.object({ data: TestAttempt }).openapi("WebhookTestResponse");

export const InfoResponse = z.object({ version: z.string() }).openapi("WebhooksInfo");
