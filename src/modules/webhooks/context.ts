import type { CallContext } from "./call.ts";
import { ConfigStore } from "./config-store.ts";
import type { RetryPolicy } from "./core/retry.ts";
import { DeliveryStore } from "./delivery-store.ts";
import { platformPorts, Schedule, type SchedulePorts } from "./schedule.ts";
import { type WebhookSettings, webhookSettings } from "./settings.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { type Fetch, systemFetch } from "#platform/http/outbound.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import type { Clock } from "#platform/time.ts";
import { doubling } from "#platform/work/backoff.ts";

/** Where the module touches the world outside D1; tests replace some of it. */
export interface WebhookPorts extends SchedulePorts {
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/** What the use cases of the module work with. */
export interface WebhookContext {
  /** Who calls. */
  readonly caller: ServiceContext;
  readonly db: Database;
  readonly configs: ConfigStore;
  readonly deliveries: DeliveryStore;
  readonly schedule: Schedule;
  readonly calls: CallContext;
  readonly clock: Clock;
  readonly retries: RetryPolicy;
}

export function contextOf(context: ServiceContext, ports: Partial<WebhookPorts>): WebhookContext {
  const { env } = context;
  const db = databaseOf(env);
  const clock = ports.clock ?? context.clock;
  return {
    caller: { ...context, clock },
    db,
    configs: new ConfigStore(db, SecretBox.from(env)),
    deliveries: new DeliveryStore(db),
    schedule: new Schedule({ ...platformPorts(env), ...ports }, clock),
    calls: {
      fetch: ports.fetch ?? systemFetch,
      policy: { allowPrivateHosts: platformSettings.of(env).FLORIN_ALLOW_PRIVATE_HOSTS },
      clock,
    },
    clock,
    retries: toRetryPolicy(webhookSettings.of(env)),
  };
}

const toRetryPolicy = (settings: WebhookSettings): RetryPolicy => ({
  backoff: doubling(
    settings.FLORIN_WEBHOOK_RETRY_MIN_BACKOFF,
    settings.FLORIN_WEBHOOK_RETRY_MAX_BACKOFF,
  ),
  abortAfterMs: settings.FLORIN_WEBHOOK_RETRY_ABORT_AFTER,
  maxAttempts: settings.FLORIN_WEBHOOK_RETRY_MAX_ATTEMPTS,
});
