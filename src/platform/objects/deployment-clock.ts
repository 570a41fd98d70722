import { type ObjectCall, reachObject } from "./call.ts";

/** A deployment has one clock object. */
export const CLOCK_NAME = "clock";

type ClockEnv = Pick<Env, "CLOCK">;

/** The alarm of a deployment; see `ClockObject`. */
export const deploymentClock = (env: ClockEnv) => env.CLOCK.getByName(CLOCK_NAME);

/**
 * The clock answers within milliseconds. One that hangs must not hold up every request that needs it. All its calls may be
 * repeated.
 */
const TO_CLOCK: ObjectCall = { object: "clock", isRead: true, timeoutMs: 5000 };

/** Makes sure that the sweeps run at that time, in milliseconds since the epoch, or before. */
export const armClock = (env: ClockEnv, atMs: number): Promise<void> =>
  reachObject(deploymentClock(env).arm(atMs), TO_CLOCK);

/** Makes sure that the sweeps run again and again until that time, and once after it. */
export const watchClock = (env: ClockEnv, untilMs: number): Promise<void> =>
  reachObject(deploymentClock(env).watch(untilMs), TO_CLOCK);

/** Resolves when the clock has stored a write of some size. */
export const tryClockWrite = (env: ClockEnv): Promise<void> =>
  reachObject(deploymentClock(env).tryWrite(), TO_CLOCK);

/** The first two, for those who are given a clock. */
export const sweepClockOf = (env: ClockEnv) => ({
  arm: (atMs: number) => armClock(env, atMs),
  watch: (untilMs: number) => watchClock(env, untilMs),
});
