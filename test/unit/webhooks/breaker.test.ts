import { expect, test } from "vitest";
import {
  afterFailure,
  type BreakerState,
  callsAllowed,
  CLOSED,
  FAILURES_MAX,
} from "#modules/webhooks/core/breaker.ts";

const HOUR = 3_600_000;

/** The state after `count` failures, one a second. */
function failing(count: number, isRefusalOfMessage = false): BreakerState {
  let state = CLOSED;
  for (let second = 1; second <= count; second++) {
    state = afterFailure(state, {
      startedMs: second * 1000,
      nowMs: second * 1000,
      isRefusalOfMessage,
    });
  }
  return state;
}

test("few failures change nothing", () => {
  expect(callsAllowed(failing(FAILURES_MAX - 1), 0, 32)).toBe(32);
});

test("many in a row pause the calls; then one is allowed", () => {
  const state = failing(FAILURES_MAX);
  const openUntilMs = FAILURES_MAX * 1000 + 5000;
  expect(state.openUntilMs).toBe(openUntilMs);
  expect(callsAllowed(state, openUntilMs - 1, 32)).toBe(0);
  expect(callsAllowed(state, openUntilMs, 32)).toBe(1);
});

test("pauses grow up to five minutes, and calls that were under way do not make them grow", () => {
  let state = failing(FAILURES_MAX);
  const pauses: number[] = [];
  for (let probe = 0; probe < 9; probe++) {
    const nowMs = state.openUntilMs ?? 0;
    state = afterFailure(state, { startedMs: nowMs, nowMs, isRefusalOfMessage: false });
    const { openUntilMs = 0 } = state;
    pauses.push((openUntilMs - nowMs) / 1000);
    // The attempt began before the pause, and fails after it.
    const late = { startedMs: nowMs - 1, nowMs: nowMs + 10_000_000, isRefusalOfMessage: false };
    state = { ...afterFailure(state, late), lastFailureMs: nowMs };
    expect(state.openUntilMs).toBe(openUntilMs);
  }
  expect(pauses).toEqual([10, 20, 40, 80, 160, 300, 300, 300, 300]);
});

test("an endpoint that refuses messages is not paused, yet it is failing", () => {
  const state = failing(1000, true);
  expect(callsAllowed(state, 0, 32)).toBe(32);
  expect(state.failingMs).toBe(999_000);
});

test("time in which nobody asked counts for an hour at most, and none when the clock steps back", () => {
  const first = afterFailure(CLOSED, { startedMs: 0, nowMs: 0, isRefusalOfMessage: false });
  const late = afterFailure(first, {
    startedMs: 1000 * HOUR,
    nowMs: 1000 * HOUR,
    isRefusalOfMessage: false,
  });
  expect(late.failingMs).toBe(HOUR);
  expect(afterFailure(late, { startedMs: 0, nowMs: 0, isRefusalOfMessage: false }).failingMs).toBe(
    HOUR,
  );
});
