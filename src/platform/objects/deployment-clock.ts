import { objectAt } from "./address.ts";
import { type ObjectCall, reachObject } from "./call.ts";
import { memoByEnv } from "#platform/memo.ts";

type ClockEnv = Pick<Env, "CLOCK">;

/** The name of a sweep's clock object, from which the object knows its sweep. */
export const clockName = (sweep: string): string => `sweep:${sweep}`;

/** The clock of one sweep: an object with an alarm of its own; see `ClockObject`. */
export const clockOf = (env: ClockEnv, sweep: string) => objectAt(env, env.CLOCK, clockName(sweep));

/** Longest time between two rings of a clock that was armed once, in milliseconds. */
export const RING_MS_MAX = 3_600_000;

/**
 * Options for calls of clocks. A clock answers within milliseconds, and a clock that hangs must not hold up the requests that need it. All
 * calls of clocks may be repeated.
 */
const TO_CLOCK: ObjectCall = { object: "clock", isRepeatable: true, timeoutMs: 5000 };

/** Longest time that a statement may take to be stored, in milliseconds: D1 gives up after 30 seconds. */
export const STATEMENT_MS_MAX = 35_000;
/** Time for which a clock watches beyond the request, in milliseconds, so that the next writes of this isolate need no call. */
const WATCH_AHEAD_MS = 30_000;

/** The state of a sweep's clock, as an isolate knows it. */
interface KnownClock {
  /** The end of the watch, in milliseconds since the epoch. */
  readonly watchesUntilMs: number;
  /**
   * The time of the last call of the clock, in milliseconds since the epoch. After a step back of the machine's time, the clock is called
   * again.
   */
  readonly heardMs: number;
}

/** The clocks that an isolate has armed, by the names of their sweeps. */
const knownClocksOf = memoByEnv((_env: object) => new Map<string, KnownClock>());

/**
 * Makes sure that a sweep runs at `atMs`, in milliseconds since the epoch, or earlier. Skips the call for a time so far away that a clock,
 * once called by this isolate, rings earlier anyway, and after the caller's write.
 */
export async function armClock(env: ClockEnv, sweep: string, atMs: number): Promise<void> {
  const known = knownClocksOf(env);
  const nowMs = Date.now();
  if (known.has(sweep) && atMs > nowMs + RING_MS_MAX + STATEMENT_MS_MAX) return;
  await reachObject(clockOf(env, sweep).arm(atMs), TO_CLOCK);
  if (!known.has(sweep)) known.set(sweep, { watchesUntilMs: 0, heardMs: nowMs });
}

/**
 * Makes sure that a sweep runs repeatedly until `untilMs`, in milliseconds since the epoch, and once later. Most calls of an isolate find
 * that the clock already watches for long enough.
 */
export async function watchClock(env: ClockEnv, sweep: string, untilMs: number): Promise<void> {
  const known = knownClocksOf(env);
  const nowMs = Date.now();
  const { watchesUntilMs = 0, heardMs = 0 } = known.get(sweep) ?? {};
  if (untilMs <= watchesUntilMs && nowMs >= heardMs) return;
  const aheadMs = untilMs + WATCH_AHEAD_MS;
  await reachObject(clockOf(env, sweep).watch(aheadMs), TO_CLOCK);
  known.set(sweep, { watchesUntilMs: aheadMs, heardMs: nowMs });
}

/**
 * Makes sure that a sweep runs after a change that is stored within the next `STATEMENT_MS_MAX`. Callers call it before they store the
 * change.
 */
export const watchChange = (env: ClockEnv, sweep: string, nowMs: number): Promise<void> =>
  watchClock(env, sweep, nowMs + STATEMENT_MS_MAX);

/** Lets a sweep run now, because an operator asks for it. Returns when its clock rings, in milliseconds since the epoch. */
export const ringClock = (env: ClockEnv, sweep: string): Promise<number> =>
  reachObject(clockOf(env, sweep).ring(), TO_CLOCK);

/** Makes sure that a sweep's clock which has never rung rings soon. */
export const startClock = (env: ClockEnv, sweep: string): Promise<void> =>
  reachObject(clockOf(env, sweep).start(), TO_CLOCK);

/** Tests the storage: resolves when a sweep's clock has stored a write of some size. */
export const tryClockWrite = (env: ClockEnv, sweep: string): Promise<void> =>
  reachObject(clockOf(env, sweep).tryWrite(), TO_CLOCK);

/** The clock of a sweep as a `SweepClock`, for code that gets its clock by argument. */
export const sweepClockOf = (env: ClockEnv, sweep: string) => ({
  arm: (atMs: number) => armClock(env, sweep, atMs),
  watch: (untilMs: number) => watchClock(env, sweep, untilMs),
});
