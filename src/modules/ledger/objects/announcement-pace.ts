import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long commits are collected before one message is sent for all of them, in milliseconds. */
const COLLECT_MS = 10;
/**
 * Milliseconds until the next message for each log entry of the last one. Each message costs every listener a call and a commit, however
 * many entries it names. A ledger with few commits announces each at once; a ledger with more than 40 a second collects more and more of
 * them, up to the longest interval.
 */
const MS_PER_ENTRY = 25;
/** Messages to slow listeners leave them a pause of so many times as long as the last message took them. */
const WORK_SHARE = 2;
const INTERVAL_MAX_MS = 500;
/**
 * Longest interval after the first message of a burst, in milliseconds. This message names only a few entries, which are delivered long
 * before a second message after the longest interval would come. The interval may be twice as long with each further message.
 */
const FIRST_INTERVAL_MAX_MS = 100;

/** Decides when a ledger announces its commits. Times are in milliseconds since the epoch. */
export class AnnouncementPace {
  #sentMs = 0;
  #intervalMs = 0;
  #longestMs = FIRST_INTERVAL_MAX_MS;

  /**
   * How long a commit made now waits until its message is sent, in milliseconds. A clock that has stepped back does not prolong the wait.
   */
  waitMs(nowMs: number): number {
    const restMs = this.#sentMs + this.#intervalMs - nowMs;
    return Math.min(Math.max(COLLECT_MS, restMs), INTERVAL_MAX_MS);
  }

  /** Notes that a message was sent which names so many log entries. */
  sent(entries: number, nowMs: number): void {
    const isFirst = nowMs - this.#sentMs > 2 * INTERVAL_MAX_MS;
    this.#longestMs = isFirst
      ? FIRST_INTERVAL_MAX_MS
      : Math.min(2 * this.#longestMs, INTERVAL_MAX_MS);
    this.#sentMs = nowMs;
    this.#intervalMs = Math.min(entries * MS_PER_ENTRY, this.#longestMs);
  }

  /** Notes that the listeners have stored what follows from the last message. */
  confirmed(nowMs: number): void {
    const tookMs = nowMs - this.#sentMs;
    this.#intervalMs = Math.max(this.#intervalMs, tookMs * WORK_SHARE);
  }
}

/** Wait before the alarm checks whether the events of a burst are published, and sends them again if not, in milliseconds. */
const RESEND_BACKOFF = doubling(15_000, 120_000);

/** Wait before the next check once events were sent again `resends` times, in milliseconds. */
export const resendWaitMs = (resends: number): number =>
  waitAfterFailures(RESEND_BACKOFF, resends + 1);
