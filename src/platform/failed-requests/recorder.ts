import { failedRequestSettings } from "./failed-request-settings.ts";
import { FailureQuota, type Omitted } from "./quota.ts";
import { FailedRequestStore, type NewFailedRequest } from "./store.ts";
import { systemClock } from "#platform/clock.ts";
import { logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";
import { withDeadline } from "#platform/work/deadline.ts";

/** The sweep that purges failed requests. */
export const FAILED_REQUESTS_SWEEP = "failed-requests";

/** Time from the first failure to the batch that stores it, in milliseconds. */
const FLUSH_AFTER_MS = 1000;
/** Longest time of a batch, in milliseconds. */
const STORE_MS_MAX = 10_000;
/** Time after which a planned batch counts as lost with the request that was to store it, in milliseconds. */
const LOST_AFTER_MS = 5000;
/** Rest after a batch that failed, in milliseconds. Meanwhile rows stay in memory. */
const REST_MS = 15_000;
/** Most rows in memory. */
const PENDING_MAX = 256;
/** Most principals whose rates are known at once. */
const PRINCIPALS_MAX = 1000;
/** Seconds at whose rate a principal, and all together, may have rows at once. */
const BURST_SECONDS = { perPrincipal: 20, total: 10 };
/** Longest time from a failure to the next purge, in milliseconds. */
const SWEEP_AFTER_MS = 24 * 3_600_000;

/** The environment of a recorder, which tests replace. */
export interface FailurePorts {
  readonly perPrincipal: number;
  readonly total: number;
  readonly store: (requests: readonly NewFailedRequest[], omitted: Omitted) => Promise<void>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly nowMs: () => number;
}

type ToRow = () => NewFailedRequest;

/** Work that goes on after the answer, as of `ExecutionContext.waitUntil`. */
export type GoOn = (work: Promise<void>) => void;

/**
 * Records failed requests of an isolate after their answers. Rows wait in memory for up to a second, and one of the failed requests stores
 * all of them. No request waits for a row, and none fails because of one:
 *
 *     failures   f1  f2 f3   f4               f5
 *     memory     1   2  3    4   0            1   0
 *     f1, f5     └── sleep 1 s ──┴ batch      └───┴ batch
 *
 * A batch that fails stays in memory, which is bounded, and is tried again after a rest. What a killed isolate had in memory is lost.
 */
export class FailureRecorder {
  readonly #ports: FailurePorts;
  readonly #quota: FailureQuota;
  /** The newest failures that get a row. */
  #pending: ToRow[] = [];
  /** The time at which a batch was planned, in milliseconds since the epoch; undefined if none is planned. */
  #plannedMs: number | undefined;
  #restsUntilMs = 0;

  constructor(ports: FailurePorts) {
    const { perPrincipal, total } = ports;
    this.#ports = ports;
    this.#quota = new FailureQuota({
      perPrincipal: { perSecond: perPrincipal, burst: perPrincipal * BURST_SECONDS.perPrincipal },
      total: { perSecond: total, burst: total * BURST_SECONDS.total },
      principalsMax: PRINCIPALS_MAX,
    });
  }

  /** Records a failure of a principal. `toRow` is called after the answer, and only for a failure that gets a row. */
  record(
    principal: string,
    requestId: string,
    { toRow, goOn }: { readonly toRow: ToRow; readonly goOn: GoOn },
  ): void {
    if (this.#ports.total === 0) return;
    if (this.#quota.take(principal, requestId, this.#ports.nowMs())) {
      this.#pending.push(toRow);
      if (this.#pending.length > PENDING_MAX) this.#pending.shift();
    }
    this.#plan(goOn);
  }

  #plan(goOn: GoOn): void {
    const nowMs = this.#ports.nowMs();
    const { isPlanned, isResting } = this.#stateAt(nowMs);
    if (isPlanned || isResting) return;
    this.#plannedMs = nowMs;
    goOn(this.#flush(nowMs));
  }

  /** The state at a time. After a step back of the machine's time, nothing counts as planned. */
  #stateAt(nowMs: number): { readonly isPlanned: boolean; readonly isResting: boolean } {
    const plannedMs = this.#plannedMs ?? -Infinity;
    return {
      isPlanned: nowMs >= plannedMs && nowMs < plannedMs + LOST_AFTER_MS,
      isResting: nowMs < this.#restsUntilMs && nowMs >= this.#restsUntilMs - REST_MS,
    };
  }

  async #flush(plannedMs: number): Promise<void> {
    const { sleep, store, nowMs } = this.#ports;
    await sleep(FLUSH_AFTER_MS);
    // A failure from here on plans the next batch.
    if (this.#plannedMs === plannedMs) this.#plannedMs = undefined;
    if (this.#pending.length === 0 && !this.#quota.hasOmitted) return;
    const rows = this.#pending.map((toRow) => toRow());
    this.#pending = [];
    try {
      await store(rows, this.#quota.report());
    } catch (error) {
      this.#pending = [...rows.map((row) => () => row), ...this.#pending].slice(-PENDING_MAX);
      this.#restsUntilMs = nowMs() + REST_MS;
      logError("failed requests could not be stored; they are stored later", error);
    }
  }
}

/** The recorder of the isolate with the bindings `env`. */
export const recorderOf = memoByEnv((env: Env): FailureRecorder => {
  const settings = failedRequestSettings.of(env);
  return new FailureRecorder({
    perPrincipal: settings.FLORIN_FAILED_REQUESTS_PER_PRINCIPAL,
    total: settings.FLORIN_FAILED_REQUESTS_TOTAL,
    store: (rows, omitted) => store(env, rows, omitted),
    sleep: (ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      }),
    nowMs: () => Date.now(),
  });
});

async function store(env: Env, rows: readonly NewFailedRequest[], omitted: Omitted): Promise<void> {
  const kept = failedRequestSettings.of(env).FLORIN_FAILED_REQUESTS_KEPT;
  const reason = new Error(`D1 did not store failed requests within ${STORE_MS_MAX} ms`);
  await withDeadline({ afterMs: STORE_MS_MAX, reason }, (signal) =>
    Promise.race([FailedRequestStore.from(env).store(rows, omitted, kept), aborted(signal)]),
  );
  try {
    // Alarms ring by the machine's clock.
    await armClock(env, FAILED_REQUESTS_SWEEP, toMillis(systemClock()) + SWEEP_AFTER_MS);
  } catch (error) {
    logError("the purge of failed requests could not be scheduled; the next batch does it", error);
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
