import type { RetryPolicy } from "./core/retry.ts";
import { duration, integer, type SettingsOf, DeclaredSettings } from "#platform/settings.ts";
import { doubling } from "#platform/work/backoff.ts";

export const webhookSettings = new DeclaredSettings({
  FLORIN_WEBHOOK_RETRY_MIN_BACKOFF: duration({
    standard: "1m",
    meaning: "Wait after the first attempt that failed; it doubles each time",
  }),
  FLORIN_WEBHOOK_RETRY_MAX_BACKOFF: duration({
    standard: "1h",
    meaning: "Longest wait between two attempts",
  }),
  FLORIN_WEBHOOK_RETRY_ABORT_AFTER: duration({
    standard: "10h",
    meaning: "A delivery is given up when the sum of its waits would exceed this time",
  }),
  FLORIN_WEBHOOK_RETRY_MAX_ATTEMPTS: integer(
    { least: 0, most: 1000 },
    { standard: "15", meaning: "The number of attempts after which a delivery is given up" },
  ),
  FLORIN_WEBHOOK_DISABLE_AFTER: duration({
    standard: "120h",
    meaning: "A webhook config is deactivated when its endpoint has failed for this long",
  }),
  FLORIN_WEBHOOK_RETENTION_SUCCEEDED: duration({
    standard: "720h",
    meaning: "Deliveries that succeeded are deleted after this time",
  }),
  FLORIN_WEBHOOK_RETENTION_FAILED: duration({
    standard: "2160h",
    meaning: "Deliveries that failed or were cancelled are deleted after this time",
  }),
});

export type WebhookSettings = SettingsOf<typeof webhookSettings>;

export const retryPolicyOf = (settings: WebhookSettings): RetryPolicy => ({
  backoff: doubling(
    settings.FLORIN_WEBHOOK_RETRY_MIN_BACKOFF,
    settings.FLORIN_WEBHOOK_RETRY_MAX_BACKOFF,
  ),
  abortAfterMs: settings.FLORIN_WEBHOOK_RETRY_ABORT_AFTER,
  maxAttempts: settings.FLORIN_WEBHOOK_RETRY_MAX_ATTEMPTS,
});

/** How long deliveries are kept after their end, in milliseconds. */
export const retentionOf = (settings: WebhookSettings) => ({
  succeededMs: settings.FLORIN_WEBHOOK_RETENTION_SUCCEEDED,
  othersMs: settings.FLORIN_WEBHOOK_RETENTION_FAILED,
});
