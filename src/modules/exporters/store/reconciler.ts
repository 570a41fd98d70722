import type { PendingPipeline, PipelineStore } from "./pipeline-store.ts";
import { exporterSettings } from "#modules/exporters/settings.ts";
import { systemClock } from "#platform/clock.ts";
import { objectAt } from "#platform/objects/address.ts";
import { sweepClockOf } from "#platform/objects/deployment-clock.ts";
import { doubling } from "#platform/work/backoff.ts";
import { Reconciler, type RunLimits } from "#platform/work/reconcile.ts";

export type PipelineReconciler = Reconciler<PendingPipeline>;

/** Limits for calls of pipelines' objects: how many at once, and how long each, in milliseconds. */
const OBJECT_LANES = { total: 6, timeoutMs: 10_000 };
/** Most objects that one request calls, and that one sweep calls: the platform allows each of them 1,000 calls. */
const CALLS_PER_REQUEST_MAX = 60;
const CALLS_PER_SWEEP_MAX = 150;
/** Most objects that the purge of one ledger calls. A sweep purges many ledgers, and the sweep of pipelines calls the other objects. */
const CALLS_PER_PURGE_MAX = 5;
/** How long a request, or a sweep, waits for objects, in milliseconds. */
const WORK_MS_MAX = 10_000;
/**
 * Limits for waking pipelines: how many at once, in all and of one ledger, and how long each, in milliseconds. A ledger whose pipelines
 * hang thus leaves lanes to the others. After `WAKE_MS_MAX`, the sweep wakes those that are left.
 */
export const WAKE_LANES = { total: 6, perKey: 2, timeoutMs: 3000 };
export const WAKE_MS_MAX = 10_000;
/** Most pipelines that one batch of events wakes, because the platform allows it 1,000 calls. The sweep wakes the others. */
export const WAKES_MAX = 300;
/** Longest wait before an object whose call has failed is called again, in sync periods. */
const SYNC_PERIODS_MAX = 16;

/** Name of the sweep that tells objects of changes that they do not know yet. */
export const PIPELINES_SWEEP = "pipelines";

/** The reconciler that tells the objects of pipelines that their rows in D1 have changed. The objects read the rows themselves. */
export function reconcilerOf(env: Env, store: PipelineStore): PipelineReconciler {
  const { FLORIN_PIPELINE_SYNC_PERIOD: periodMs } = exporterSettings.of(env);
  return new Reconciler<PendingPipeline>({
    what: "pipeline",
    table: store.pending,
    apply: ({ id }) => objectAt(env, env.PIPELINES, id).refresh(),
    keyOf: ({ id }) => id,
    lanes: OBJECT_LANES,
    backoff: doubling(periodMs, periodMs * SYNC_PERIODS_MAX),
    sweepClock: sweepClockOf(env, PIPELINES_SWEEP),
    clock: systemClock,
  });
}

export const requestLimits = (): RunLimits => ({
  rowsMax: CALLS_PER_REQUEST_MAX,
  untilMs: Date.now() + WORK_MS_MAX,
});

export const purgeLimits = (): RunLimits => ({
  rowsMax: CALLS_PER_PURGE_MAX,
  untilMs: Date.now() + WORK_MS_MAX,
});

export const sweepLimits = (): RunLimits => ({
  rowsMax: CALLS_PER_SWEEP_MAX,
  untilMs: Date.now() + WORK_MS_MAX,
});
