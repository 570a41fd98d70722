import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** What is known of the health of an endpoint. Times are milliseconds of its lane. */
export interface BreakerState {
  /** Failures since the last success. */
  readonly failures: number;
  /** How often in a row calls were paused. */
  readonly pauses: number;
  /** No call is made before this time. Then one call is: the probe. Absent while the endpoint works. */
  readonly openUntilMs?: number;
  /** When the pause began. */
  readonly openedMs?: number;
  /** How long the endpoint has been failing, without the times in which nothing was known. */
  readonly failingMs: number;
  readonly lastFailureMs?: number;
}

export const CLOSED: BreakerState = { failures: 0, pauses: 0, failingMs: 0 };

/** After so many failures in a row an endpoint counts as down. */
export const FAILURES_MAX = 10;
/** How long an endpoint that is down is left alone between two probes. */
const PAUSE_BACKOFF = doubling(5000, 300_000);
/** Longest time between two failures that counts as time of failing: in a longer one, nobody has asked the endpoint. */
const SILENCE_MS_MAX = 3_600_000;

/** A call that failed. An endpoint that refuses one message works, and may take the next one. */
export interface FailedCall {
  readonly startedMs: number;
  readonly nowMs: number;
  readonly isRefusalOfMessage: boolean;
}

/** The state after a call that failed. The refusal of a message pauses nothing. */
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
  // Calls that began before the pause say nothing new.
  const { pauses: before, openUntilMs, openedMs } = state;
  if (openUntilMs !== undefined && openedMs !== undefined && startedMs <= openedMs) {
    return { failures, pauses: before, openUntilMs, openedMs, ...failing };
  }
  const pauses = state.pauses + 1;
  const pauseMs = waitAfterFailures(PAUSE_BACKOFF, pauses);
  return { failures, pauses, openUntilMs: nowMs + pauseMs, openedMs: nowMs, ...failing };
}

/** How many calls may be under way at `nowMs`, of at most `callsMax`. */
export function callsAllowed(state: BreakerState, nowMs: number, callsMax: number): number {
  if (state.openUntilMs === undefined) return callsMax;
  return nowMs < state.openUntilMs ? 0 : 1;
}
