import { duration, integer, type SettingsOf, DeclaredSettings } from "#platform/settings.ts";

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
    meaning: "After this time a delivery is given up",
  }),
  FLORIN_WEBHOOK_RETRY_MAX_ATTEMPTS: integer(
    { least: 0, most: 1000 },
    { standard: "15", meaning: "After this many attempts a delivery is given up" },
  ),
});

export type WebhookSettings = SettingsOf<typeof webhookSettings>;
