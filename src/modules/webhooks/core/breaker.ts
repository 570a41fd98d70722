import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/**
 * The circuit breaker of an endpoint. Times are milliseconds of the lane's clock.
 *
 *               a success
 *       ┌───────────────────────────────────────┐
 *       ▼          FAILURES_MAX failures        │
 *     closed ─────────────────────────────► open: no calls ─── pause is over ──► half-open: one call, the probe
 *       ▲                                       ▲                                  │             │
 *       │                                       └── it fails: a longer pause ──────┘             │
 *       └── it succeeds, or refuses its message only ────────────────────────────────────────────┘
 */
export interface BreakerState {
  /** Failures in a row since the last success or refusal of a message. */
  readonly failures: number;
  /** Number of pauses in a row. */
  readonly pauses: number;
  /** End of the pause; from then on one call may be under way, the probe. Absent while the breaker is closed. */
  readonly openUntilMs?: number;
  /** When the present pause began. */
  readonly openedMs?: number;
  /** How long the endpoint has been failing. Times without calls count for `SILENCE_MS_MAX` at most. */
  readonly failingMs: number;
  readonly lastFailureMs?: number;
}

export const CLOSED: BreakerState = { failures: 0, pauses: 0, failingMs: 0 };

/** Number of failures in a row that open the breaker. */
export const FAILURES_MAX = 10;
/** How long calls are paused before a probe; a pause is longer after each failed probe. */
const PAUSE_BACKOFF = doubling(5000, 300_000);
/** Longest time between two failures that counts as failing in full. In a longer one, nobody may have called the endpoint. */
const SILENCE_MS_MAX = 3_600_000;

/** A call that failed. `isRefusalOfMessage`: the endpoint works but refuses this message, so it may take the next one. */
export interface FailedCall {
  readonly startedMs: number;
  readonly nowMs: number;
  readonly isRefusalOfMessage: boolean;
}

/** The state after a failed call. The refusal of a message closes the breaker. */
export function afterFailure(
  state: BreakerState,
  { startedMs, nowMs, isRefusalOfMessage }: FailedCall,
): BreakerState {
  const sinceMs = nowMs - (state.lastFailureMs ?? nowMs);
  const failing = {
    failingMs: state.failingMs + Math.min(Math.max(sinceMs, 0), SILENCE_MS_MAX),
    lastFailureMs: nowMs,
  };
  if (isRefusalOfMessage) return { failures: 0, pauses: 0, ...failing };
  const failures = state.failures + 1;
  if (failures < FAILURES_MAX) return { failures, pauses: 0, ...failing };
  // A call that began before the pause says nothing new about the endpoint.
  const { pauses: before, openUntilMs, openedMs } = state;
  if (openUntilMs !== undefined && openedMs !== undefined && startedMs <= openedMs) {
    return { failures, pauses: before, openUntilMs, openedMs, ...failing };
  }
  const pauses = state.pauses + 1;
  const pauseMs = waitAfterFailures(PAUSE_BACKOFF, pauses);
  return { failures, pauses, openUntilMs: nowMs + pauseMs, openedMs: nowMs, ...failing };
}

/** How many calls may be under way at `nowMs`; at most `callsMax`. */
export function callsAllowed(state: BreakerState, nowMs: number, callsMax: number): number {
  if (state.openUntilMs === undefined) return callsMax;
  return nowMs < state.openUntilMs ? 0 : 1;
}
