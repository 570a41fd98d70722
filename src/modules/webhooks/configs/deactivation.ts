import { ConfigStore } from "./config-store.ts";
import { reconcilerOf, workLimits } from "./endpoints.ts";
import type { LaneSpec } from "#modules/webhooks/core/lane.ts";
import type { ServiceContext } from "#platform/context.ts";

/**
 * Deactivates a config whose endpoint has failed for too long, unless the config was changed meanwhile, and publishes an event.
 * The pending deliveries then fail; they can be replayed when the config is active again.
 */
export async function deactivateFailing(spec: LaneSpec, context: ServiceContext): Promise<void> {
  const store = ConfigStore.from(context.env);
  const reconciler = reconcilerOf(context.env, store);
  await reconciler.change(() => store.deactivateFailing(spec, context));
  await reconciler.settle(workLimits());
}
