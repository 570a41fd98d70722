import type { ConfigStore, PendingConfig } from "./config-store.ts";
import { LaneSpecs } from "./lane-specs.ts";
import { systemClock } from "#platform/clock.ts";
import { objectAt } from "#platform/objects/address.ts";
import { reachObject } from "#platform/objects/call.ts";
import { sweepClockOf } from "#platform/objects/deployment-clock.ts";
import { doubling } from "#platform/work/backoff.ts";
import { Reconciler, type RunLimits } from "#platform/work/reconcile.ts";

export type ConfigReconciler = Reconciler<PendingConfig>;

/** The Durable Object of a config, which holds the lane of its endpoint. */
export const endpointOf = (env: Pick<Env, "ENDPOINTS">, configId: string) =>
  objectAt(env, env.ENDPOINTS, configId);

/**
 * Options of all calls of objects of endpoints, which answer within milliseconds even while an endpoint hangs. Writes may be repeated,
 * too: objects know the revisions, events and requests for replays that they have received.
 */
export const TO_ENDPOINT = { object: "webhook endpoint", isRepeatable: true, timeoutMs: 10_000 };

/** The sweep that tells objects the revisions that they may not know. */
export const WEBHOOKS_SWEEP = "webhooks";

/** How many objects are told of changes at once, and how long each call may take, in milliseconds. */
const LANES = { total: 6, timeoutMs: 15_000 };
/** When an object is told again after a call failed. */
const BACKOFF = doubling(5000, 300_000);
/** Most objects that one request or sweep tells, and how long it waits for them, in milliseconds. */
const CALLS_MAX = 100;
const WORK_MS_MAX = 15_000;

/**
 * Brings the objects of endpoints to the latest revisions of their configs in D1, as soon as the reconciler is run. A config that is
 * not stored any more counts as told.
 */
export function reconcilerOf(env: Env, store: ConfigStore): ConfigReconciler {
  return new Reconciler<PendingConfig>({
    what: "webhook config",
    table: store.pending,
    apply: async ({ id }) => {
      const spec = await LaneSpecs.from(env).find(id);
      if (spec !== undefined) await reachObject(endpointOf(env, id).configure(spec), TO_ENDPOINT);
    },
    keyOf: ({ id }) => id,
    lanes: LANES,
    backoff: BACKOFF,
    sweepClock: sweepClockOf(env, WEBHOOKS_SWEEP),
    clock: systemClock,
  });
}

/** Limits of one run of the reconciler that begins now, in a request or a sweep. */
export const workLimits = (): RunLimits => ({
  rowsMax: CALLS_MAX,
  untilMs: Date.now() + WORK_MS_MAX,
});
