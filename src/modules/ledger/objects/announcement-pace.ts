import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long commits are collected before their one message is sent, in milliseconds. */
const COLLECT_MS = 10;
/**
 * The time to the next message for each log entry that the last one announced, in milliseconds: each message costs every
 * listener a call and a commit, however many entries it names. A ledger with few commits announces each at once; one with
 * more than 40 a second collects more and more of them, up to the longest interval.
 */
const MS_PER_ENTRY = 25;
/** Where listeners take their time, the messages leave them a pause: this many times what the last one took them. */
const WORK_SHARE = 2;
const INTERVAL_MAX_MS = 500;
/**
 * The longest interval after the first message of a burst, which names only what came in its first moment: whoever delivers
 * webhooks would be done with that long before the second one. It doubles with each message.
 */
const FIRST_INTERVAL_MAX_MS = 100;

/** When a ledger announces its commits. Times are in milliseconds since the epoch. */
export class AnnouncementPace {
  #sentMs = 0;
  #intervalMs = 0;
  #longestMs = FIRST_INTERVAL_MAX_MS;

  /** How long a commit of now waits until its message is sent; a clock that has stepped back delays nothing further. */
  waitMs(nowMs: number): number {
    const restMs = this.#sentMs + this.#intervalMs - nowMs;
    return Math.min(Math.max(COLLECT_MS, restMs), INTERVAL_MAX_MS);
  }

  /** A message of so many log entries is sent. */
  sent(entries: number, nowMs: number): void {
    const isFirst = nowMs - this.#sentMs > 2 * INTERVAL_MAX_MS;
    this.#longestMs = isFirst
      ? FIRST_INTERVAL_MAX_MS
      : Math.min(2 * this.#longestMs, INTERVAL_MAX_MS);
    this.#sentMs = nowMs;
    this.#intervalMs = Math.min(entries * MS_PER_ENTRY, this.#longestMs);
  }

  /** What the message announced is stored with its listeners. */
  confirmed(nowMs: number): void {
    const tookMs = nowMs - this.#sentMs;
    this.#intervalMs = Math.max(this.#intervalMs, tookMs * WORK_SHARE);
  }
}

/** When the alarm looks whether the events of a burst are published, and sends them again if not. */
const RESEND_BACKOFF = doubling(15_000, 120_000);

/** How long that takes, once they were sent again so often. */
export const resendWaitMs = (resends: number): number =>
  waitAfterFailures(RESEND_BACKOFF, resends + 1);
