import type { QuotaRate } from "#modules/auth/core/quota.ts";

/** Time for which an isolate may use the tokens of a lease, in milliseconds. What is left then goes back with the next lease. */
const LEASE_MS = 1000;
/** The part of a second whose tokens an isolate takes ahead at most. */
const AHEAD = 1 / 4;
/**
 * Shortest time for which a refusal is remembered, in milliseconds: at a high rate the next token is there at once, and every request beyond the
 * quota would ask the object. Nothing is lost meanwhile, as the object keeps the tokens of a second.
 */
const REFUSED_MS_MIN = 250;
/** Longest time for which a refusal is given again without a question, in milliseconds: another isolate may give tokens back. */
const REFUSED_MS_MAX = 1000;

/**
 * Tokens of one kind that an isolate has leased. How many it takes ahead follows its use: twice what it used of the last lease, if that is not
 * long ago, up to what a quarter of a second gives. An isolate with one request now and then holds nothing.
 */
export class HeldTokens {
  readonly #rate: QuotaRate;
  #tokens = 0;
  /** Tokens whose time has passed, which go back with the next lease. */
  #unused = 0;
  #used = 0;
  #leasedMs = Number.NEGATIVE_INFINITY;
  /** When the last request asked for tokens ahead; undefined if it has its answer. Requests at the same time ask only for what they need. */
  #askedAheadMs: number | undefined;
  /** The tokens that the last lease left for all isolates. */
  #leftElsewhere: number;
  /** Until when how many tokens were refused. */
  #refused = { count: Infinity, fromMs: 0, untilMs: 0 };

  constructor(rate: QuotaRate) {
    this.#rate = rate;
    this.#leftElsewhere = rate.burst;
  }

  /** Whether `count` tokens are held. */
  has(count: number, nowMs: number): boolean {
    this.#expire(nowMs);
    return this.#tokens >= count;
  }

  take(count: number): void {
    this.#tokens -= count;
    this.#used += count;
  }

  /** How long `count` tokens are known to be refused, in milliseconds; 0 if the object has to be asked. */
  refusedMs(count: number, nowMs: number): number {
    const { count: refused, fromMs, untilMs } = this.#refused;
    // A time in the future was noted before the clock was set back.
    return count < refused || nowMs < fromMs ? 0 : Math.max(0, untilMs - nowMs);
  }

  noteRefused(count: number, waitMs: number, nowMs: number): void {
    const rememberedMs = Math.min(Math.max(waitMs, REFUSED_MS_MIN), REFUSED_MS_MAX);
    const untilMs = nowMs + rememberedMs;
    this.#refused = { count, fromMs: nowMs, untilMs };
  }

  /** What is asked of the object for a request that needs `count` tokens. Unused tokens are out of the isolate's hands from here on. */
  ask(count: number, nowMs: number): { need: number; more: number; unused: number } {
    this.#expire(nowMs);
    const need = Math.max(0, count - this.#tokens);
    const isAsked =
      this.#askedAheadMs !== undefined && Math.abs(nowMs - this.#askedAheadMs) < LEASE_MS;
    const isBusy = Math.abs(nowMs - this.#leasedMs) < LEASE_MS;
    const aheadMax = Math.ceil(this.#rate.perSecond * AHEAD);
    const more = isBusy && !isAsked ? Math.min(aheadMax, 2 * this.#used) : 0;
    if (more > 0) this.#askedAheadMs = nowMs;
    const unused = this.#unused;
    this.#unused = 0;
    return { need, more, unused };
  }

  /** Adds what the object has given, for a request that asked for `more` ahead. */
  add(given: number, { more, left, nowMs }: { more: number; left: number; nowMs: number }): void {
    this.#expire(nowMs);
    this.#tokens += given;
    this.#leftElsewhere = left;
    this.#leasedMs = nowMs;
    if (more === 0 && this.#askedAheadMs !== undefined) return;
    this.#askedAheadMs = undefined;
    this.#used = 0;
  }

  /** The tokens that are left as far as the isolate knows. */
  get left(): number {
    return Math.min(this.#rate.burst, Math.floor(this.#tokens) + this.#leftElsewhere);
  }

  #expire(nowMs: number): void {
    // The absolute value also covers a clock that was set back.
    if (this.#tokens === 0 || Math.abs(nowMs - this.#leasedMs) < LEASE_MS) return;
    this.#unused += this.#tokens;
    this.#tokens = 0;
  }
}
