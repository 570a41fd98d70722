import { DurableObject } from "cloudflare:workers";
import { ATTEMPT_WINDOW_MS, type AttemptRule } from "./attempt-rules.ts";
import { setAlarm } from "#platform/objects/set-alarm.ts";

/** Prefix of the storage key of each count. The value is the times of its failures, in milliseconds since the epoch. */
const FAILURES = "failures:";
/** Number of counts that an alarm looks at before other calls get their turn. */
const SLICE = 1000;

/**
 * Failed attempts within the last minute, by key (client, person or address). All attempts of one key come to one object, so its
 * count is exact for all isolates. There are few objects, because making one takes the disk tens of milliseconds and strangers
 * choose how many keys there are. An object stores nothing for keys without failures.
 */
export class AttemptLimitObject extends DurableObject<Env> {
  #isAlarmSet = false;

  /** How long to wait until the next attempt, in milliseconds; 0 if one is allowed now. */
  waitMs(key: string, rule: AttemptRule): number {
    const nowMs = Date.now();
    return waitOf(this.#recent(key, nowMs), rule, nowMs);
  }

  /** Counts a failure and returns 0. If there are too many already, counts nothing and returns how long to wait, in milliseconds. */
  async countFailure(key: string, rule: AttemptRule): Promise<number> {
    const nowMs = Date.now();
    const failures = this.#recent(key, nowMs);
    const waitMs = waitOf(failures, rule, nowMs);
    if (waitMs > 0) return waitMs;
    this.ctx.storage.kv.put(FAILURES + key, [...failures, nowMs]);
    if (!this.#isAlarmSet) await this.#setAlarm(nowMs);
    return 0;
  }

  /** Removes the newest failure, which was counted before its attempt and did not happen. */
  giveBack(key: string): void {
    const failures = this.#read(key);
    if (failures.length > 1) this.ctx.storage.kv.put(FAILURES + key, failures.slice(0, -1));
    else this.ctx.storage.kv.delete(FAILURES + key);
  }

  /** Deletes counts whose failures are all too old. */
  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    // A failure between two slices may lie before the place that is looked at, and then sets an alarm of its own.
    this.#isAlarmSet = false;
    let after: string | undefined;
    let isLeft = false;
    for (;;) {
      const nowMs = Date.now();
      const start = after === undefined ? {} : { startAfter: after };
      const slice = [...kv.list<number[]>({ prefix: FAILURES, limit: SLICE, ...start })];
      for (const [key, failures] of slice) {
        if (failures.some((atMs) => isRecent(atMs, nowMs))) isLeft = true;
        else kv.delete(key);
      }
      after = slice.at(-1)?.[0];
      if (slice.length < SLICE) break;
      await scheduler.wait(0);
    }
    if (isLeft && !this.#isAlarmSet) await this.#setAlarm(Date.now());
  }

  async #setAlarm(nowMs: number): Promise<void> {
    await setAlarm(this.ctx.storage, nowMs + ATTEMPT_WINDOW_MS);
    this.#isAlarmSet = true;
  }

  #recent(key: string, nowMs: number): number[] {
    return this.#read(key).filter((atMs) => isRecent(atMs, nowMs));
  }

  #read(key: string): number[] {
    return this.ctx.storage.kv.get<number[]>(FAILURES + key) ?? [];
  }
}

/** Whether a failure still counts. A time in the future was stored before the clock was set back, and counts for one window from now at most. */
const isRecent = (atMs: number, nowMs: number): boolean =>
  Math.abs(nowMs - atMs) < ATTEMPT_WINDOW_MS;

function waitOf(failures: readonly number[], rule: AttemptRule, nowMs: number): number {
  const oldest = failures.at(-rule.failuresMax);
  if (oldest === undefined) return 0;
  return Math.min(Math.max(oldest + ATTEMPT_WINDOW_MS - nowMs, 1), ATTEMPT_WINDOW_MS);
}
