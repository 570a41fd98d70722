import type { QuotaRate } from "./quota.ts";

/** The content of a bucket at a time in milliseconds since the epoch. Below 0 it is a debt. */
export interface BucketLevel {
  readonly tokens: number;
  readonly atMs: number;
}

/**
 * A token bucket (J. Turner, "New Directions in Communications", 1986; RFC 2697): it fills at a rate, holds a burst at most, and whoever
 * works takes tokens out.
 *
 *              perSecond
 *                 │ ▼
 *     burst ───┌──┴──┐
 *              │░░░░░│ ── take(n) ──► n tokens, if min(n, burst) are there
 *         0 ───├─────┤
 *              │     │     a debt, where n is larger than the burst: the bucket has to be full, and then nobody
 *              └─────┘     takes anything until the debt is paid
 */
export class TokenBucket {
  readonly #rate: QuotaRate;
  #tokens: number;
  #atMs: number;

  constructor(rate: QuotaRate, { tokens, atMs }: BucketLevel) {
    this.#rate = rate;
    this.#tokens = Math.min(tokens, rate.burst);
    this.#atMs = atMs;
  }

  static full(rate: QuotaRate, nowMs: number): TokenBucket {
    return new TokenBucket(rate, { tokens: rate.burst, atMs: nowMs });
  }

  level(nowMs: number): BucketLevel {
    this.#fill(nowMs);
    return { tokens: this.#tokens, atMs: this.#atMs };
  }

  /** Whole tokens that could be taken now. */
  left(nowMs: number): number {
    this.#fill(nowMs);
    return Math.max(0, Math.floor(this.#tokens));
  }

  isFull(nowMs: number): boolean {
    this.#fill(nowMs);
    return this.#tokens >= this.#rate.burst;
  }

  /** How long to wait until `count` tokens may be taken, in milliseconds; 0 if they may be taken now. */
  waitMs(count: number, nowMs: number): number {
    this.#fill(nowMs);
    const missing = Math.min(count, this.#rate.burst) - this.#tokens;
    return missing <= 0 ? 0 : Math.ceil((missing / this.#rate.perSecond) * 1000);
  }

  /** Takes tokens, which the caller knows may be taken. */
  take(count: number): void {
    this.#tokens -= count;
  }

  giveBack(count: number): void {
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + count);
  }

  #fill(nowMs: number): void {
    // A clock that was set back adds nothing, and the bucket goes on from the new time.
    const passedMs = Math.max(0, nowMs - this.#atMs);
    this.#atMs = nowMs;
    const added = (passedMs / 1000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + added);
  }
}
