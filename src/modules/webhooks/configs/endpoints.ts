import type { ConfigStore, PendingConfig } from "./config-store.ts";
import { systemClock } from "#platform/clock.ts";
import { reachObject } from "#platform/objects/call.ts";
import { sweepClockOf } from "#platform/objects/deployment-clock.ts";
import { doubling } from "#platform/work/backoff.ts";
import { Reconciler, type RunLimits } from "#platform/work/reconcile.ts";

export type ConfigReconciler = Reconciler<PendingConfig>;

/** The object of a config's endpoint. */
export const endpointOf = (env: Pick<Env, "ENDPOINTS">, configId: string) =>
  env.ENDPOINTS.getByName(configId);

/** It answers within milliseconds, also while its endpoint hangs. */
export const TO_ENDPOINT = { object: "webhook endpoint", isRead: true, timeoutMs: 10_000 };

/** The sweep that tells objects what they have not been told yet. */
export const WEBHOOKS_SWEEP = "webhooks";

/** How objects are told of changes: concurrently, each with this time limit. */
const LANES = { total: 6, timeoutMs: 15_000 };
/** When one that fails is told again. */
const BACKOFF = doubling(5000, 300_000);
/** Most objects that one request or sweep tells, and how long it waits for them, in milliseconds. */
const CALLS_MAX = 100;
const WORK_MS_MAX = 15_000;

/** Tells the objects of endpoints what has changed in D1. */
export function reconcilerOf(env: Env, store: ConfigStore): ConfigReconciler {
  return new Reconciler<PendingConfig>({
    what: "webhook config",
    table: store.pending,
    apply: async ({ id }) => {
      const spec = await store.findSpec(id);
      if (spec !== undefined) await reachObject(endpointOf(env, id).configure(spec), TO_ENDPOINT);
    },
    keyOf: ({ id }) => id,
    lanes: LANES,
    backoff: BACKOFF,
    sweepClock: sweepClockOf(env, WEBHOOKS_SWEEP),
    clock: systemClock,
  });
}

export const workLimits = (): RunLimits => ({
  rowsMax: CALLS_MAX,
  untilMs: Date.now() + WORK_MS_MAX,
});
