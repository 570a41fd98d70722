import { DurableObject } from "cloudflare:workers";
import type { AttemptRule } from "./attempt-rules.ts";

/** Times of failures, in milliseconds since the epoch. */
const FAILURES_KEY = "failures";

/**
 * The failed attempts of one client or from one address within the last minute. There is one such object for each of them,
 * so that the count is exact, whatever number of isolates asks. It stores nothing for who does not fail.
 */
export class AttemptLimitObject extends DurableObject<Env> {
  /** How long to wait until the next attempt, in milliseconds; 0 if one is allowed now. */
  waitMs(rule: AttemptRule): number {
    const nowMs = Date.now();
    return waitOf(this.#recent(rule, nowMs), rule, nowMs);
  }

  /** Counts a failure. Where there are too many already, counts nothing and returns how long to wait, in milliseconds. */
  async countFailure(rule: AttemptRule): Promise<number> {
    const nowMs = Date.now();
    const failures = this.#recent(rule, nowMs);
    const waitMs = waitOf(failures, rule, nowMs);
    if (waitMs > 0) return waitMs;
    this.ctx.storage.kv.put(FAILURES_KEY, [...failures, nowMs]);
    await this.ctx.storage.setAlarm(nowMs + rule.windowMs);
    return 0;
  }

  /** An attempt that was counted as a failure before its work was none: the newest one is forgotten. The alarm empties the storage. */
  giveBack(): void {
    const failures = this.ctx.storage.kv.get<number[]>(FAILURES_KEY) ?? [];
    if (failures.length > 0) this.ctx.storage.kv.put(FAILURES_KEY, failures.slice(0, -1));
  }

  /** The last failure is too old to count. */
  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /** A failure in the future was counted before the clock was set back, and counts for a window from now at most. */
  #recent({ windowMs }: AttemptRule, nowMs: number): number[] {
    const failures = this.ctx.storage.kv.get<number[]>(FAILURES_KEY) ?? [];
    return failures.filter((atMs) => Math.abs(nowMs - atMs) < windowMs);
  }
}

function waitOf(failures: readonly number[], rule: AttemptRule, nowMs: number): number {
  const oldest = failures.at(-rule.failuresMax);
  if (oldest === undefined) return 0;
  return Math.min(Math.max(oldest + rule.windowMs - nowMs, 1), rule.windowMs);
}
