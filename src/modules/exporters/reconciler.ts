import type { PendingPipeline, PipelineStore } from "./pipeline-store.ts";
import { exporterSettings } from "./settings.ts";
import { systemClock } from "#platform/clock.ts";
import { sweepClockOf } from "#platform/objects/deployment-clock.ts";
import { doubling } from "#platform/work/backoff.ts";
import { Reconciler, type RunLimits } from "#platform/work/reconcile.ts";

export type PipelineReconciler = Reconciler<PendingPipeline>;

/** How the objects of pipelines are called: concurrently, each with this time limit. */
const OBJECT_LANES = { total: 6, timeoutMs: 10_000 };
/** Most objects that one request calls, and one sweep: the platform allows them 1,000 calls. */
const CALLS_PER_REQUEST_MAX = 60;
const CALLS_PER_SWEEP_MAX = 150;
/** The same for the purge of one ledger, of which a sweep has many. The sweep of the pipelines calls the others. */
const CALLS_PER_PURGE_MAX = 5;
/** How long a request, or a sweep, waits for objects, in milliseconds. */
const WORK_MS_MAX = 10_000;
/**
 * How pipelines are woken: a ledger whose pipelines hang leaves lanes to the others, and after this time, in milliseconds, all
 * that are left are the sweep's.
 */
export const WAKE_LANES = { total: 6, perKey: 2, timeoutMs: 3000 };
export const WAKE_MS_MAX = 10_000;
/** Most pipelines that one batch of events wakes: the platform allows it 1,000 calls. The sweep wakes the others. */
export const WAKES_MAX = 300;
/** The longest wait before an object that fails is called again, in sync periods. */
const SYNC_PERIODS_MAX = 16;

/** The sweep that tells objects what they have not been told yet. */
export const PIPELINES_SWEEP = "pipelines";

/** Tells the objects of pipelines that their rows in D1 have changed. The objects read the rows themselves. */
export function reconcilerOf(env: Env, store: PipelineStore): PipelineReconciler {
  const { FLORIN_PIPELINE_SYNC_PERIOD: periodMs } = exporterSettings.of(env);
  return new Reconciler<PendingPipeline>({
    what: "pipeline",
    table: store.pending,
    apply: ({ id }) => env.PIPELINES.getByName(id).refresh(),
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
