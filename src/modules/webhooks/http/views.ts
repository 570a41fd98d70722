import type { z } from "@hono/zod-openapi";
import type { ConfigResponse, TestResponse } from "./schemas.ts";
import type { WebhookConfig } from "#modules/webhooks/core/config.ts";
import { classify } from "#modules/webhooks/core/retry.ts";
import type { TestCall } from "#modules/webhooks/services/webhook-service.ts";
import { newId } from "#platform/ids.ts";
import { formatTimestamp, ZERO_TIMESTAMP } from "#platform/time.ts";

type ConfigView = z.input<typeof ConfigResponse>["data"];
type TestView = z.input<typeof TestResponse>["data"];

export const toConfigView = (config: WebhookConfig): ConfigView => ({
  endpoint: config.endpoint,
  secret: config.secret,
  eventTypes: [...config.eventTypes],
  id: config.id,
  active: config.active,
  name: config.name,
  createdAt: formatTimestamp(config.createdAt),
  updatedAt: formatTimestamp(config.updatedAt),
});

/** Text in place of a secret. */
const MASK = "*".repeat(8);

/** A config in a list, which hides secrets where authentication is off. */
export const toListedView = (config: WebhookConfig, masksSecrets: boolean): ConfigView =>
  toConfigView(masksSecrets ? { ...config, secret: MASK } : config);

/** The answer to a test. Tests are not stored, so their dates are zero; clients require dates nevertheless. */
export function toTestView({ webhookId, config, body, result }: TestCall): TestView {
  const zero = formatTimestamp(ZERO_TIMESTAMP);
  return {
    id: newId(),
    webhookID: webhookId,
    createdAt: zero,
    updatedAt: zero,
    config: toConfigView(config),
    payload: body,
    statusCode: result.statusCode,
    retryAttempt: 0,
    status: classify(result.statusCode) === "succeeded" ? "success" : "failed",
    nextRetryAfter: zero,
  };
}
