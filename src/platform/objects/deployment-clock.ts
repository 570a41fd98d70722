import { type ObjectCall, reachObject } from "./call.ts";
import { memoByEnv } from "#platform/memo.ts";

type ClockEnv = Pick<Env, "CLOCK">;

/** The name of the clock object of a sweep, which says which sweep it runs. */
export const clockName = (sweep: string): string => `sweep:${sweep}`;

/** The clock of one sweep: an object with an alarm of its own; see `ClockObject`. */
export const clockOf = (env: ClockEnv, sweep: string) => env.CLOCK.getByName(clockName(sweep));

/** A clock that was armed once rings at least so often, in milliseconds, until its storage is gone. */
export const RING_MS_MAX = 3_600_000;

/**
 * A clock answers within milliseconds. One that hangs must not hold up every request that needs it. All its calls may be
 * repeated.
 */
const TO_CLOCK: ObjectCall = { object: "clock", isRead: true, timeoutMs: 5000 };

/** Longest time that a statement may take to be stored, in milliseconds: D1 gives up after 30 seconds. */
export const STATEMENT_MS_MAX = 35_000;
/** How much longer than asked for a clock watches, in milliseconds, so that the next writes of this isolate need not call it. */
const WATCH_AHEAD_MS = 30_000;

/** What an isolate knows of the clock of a sweep. */
interface KnownClock {
  /** Until when it watches, in milliseconds since the epoch. */
  readonly watchesUntilMs: number;
  /** When that was heard. A machine whose clock steps back asks again. */
  readonly heardMs: number;
}

/** The clocks that an isolate has armed, by the names of their sweeps. */
const knownClocksOf = memoByEnv((_env: object) => new Map<string, KnownClock>());

/**
 * Makes sure that a sweep runs at that time, in milliseconds since the epoch, or before. Makes no call for a time that is so far away
 * that the clock, which this isolate has called before, rings anyway after what the sweep is to find was stored.
 */
export async function armClock(env: ClockEnv, sweep: string, atMs: number): Promise<void> {
  const known = knownClocksOf(env);
  const nowMs = Date.now();
  if (known.has(sweep) && atMs > nowMs + RING_MS_MAX + STATEMENT_MS_MAX) return;
  await reachObject(clockOf(env, sweep).arm(atMs), TO_CLOCK);
  if (!known.has(sweep)) known.set(sweep, { watchesUntilMs: 0, heardMs: nowMs });
}

/**
 * Makes sure that a sweep runs again and again until that time, in milliseconds since the epoch, and once after it. Most calls of an
 * isolate find that the clock watches for so long already.
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

/** Makes sure that a sweep runs after a change that is stored within the next `STATEMENT_MS_MAX`: it is called before. */
export const watchChange = (env: ClockEnv, sweep: string, nowMs: number): Promise<void> =>
  watchClock(env, sweep, nowMs + STATEMENT_MS_MAX);

/** Makes sure that the clock of a sweep rings soon, if it has never rung. */
export const startClock = (env: ClockEnv, sweep: string): Promise<void> =>
  reachObject(clockOf(env, sweep).start(), TO_CLOCK);

/** Resolves when the clock of a sweep has stored a write of some size. */
export const tryClockWrite = (env: ClockEnv, sweep: string): Promise<void> =>
  reachObject(clockOf(env, sweep).tryWrite(), TO_CLOCK);

/** The clock of a sweep, for those who are given one. */
export const sweepClockOf = (env: ClockEnv, sweep: string) => ({
  arm: (atMs: number) => armClock(env, sweep, atMs),
  watch: (untilMs: number) => watchClock(env, sweep, untilMs),
});
