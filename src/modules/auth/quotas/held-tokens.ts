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
/**
 * Longest time for which an isolate refuses without a question, by a refusal or by what an answer has left, in milliseconds: another isolate
 * may give tokens back.
 */
const REFUSED_MS_MAX = 1000;
/** Time after which a question counts as over, in milliseconds. Its request may have been cancelled, which nothing reports. */
const ASKED_MS_MAX = 1000;

/**
 * Tokens of one kind that an isolate has leased. How many it takes ahead follows its use: twice what it used of the last lease, if that is not
 * long ago, up to what a quarter of a second gives. An isolate with one request now and then holds nothing.
 *
 * Requests that come at once and find no tokens ask side by side, as none may wait for the call of another, but no more of them than the object
 * can have tokens for; the others are refused without a question:
 *
 *     tokens of the object  ≤  left + 1 + rate × time since the question ── at most the burst, which also holds before the first answer
 *     tokens for a request  ≤  these tokens  −  the needs of other requests that have asked, have no answer yet, and need no more than it
 *
 * A request that needs more is not subtracted: the object may refuse it, and give its tokens to the smaller one.
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
  /** What the object may have: at most so many tokens at the time of a question. Unknown before the first answer. */
  #bound: { readonly tokens: number; readonly atMs: number } | undefined;
  /** How many requests, by what each needs, have asked and have no answer yet, and since when there are any. */
  readonly #asked = new Map<number, number>();
  #askedSinceMs = 0;
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
    const isRefused = count >= refused && nowMs >= fromMs && nowMs < untilMs;
    return isRefused ? untilMs - nowMs : this.#missingMs(count, nowMs);
  }

  /** How long the object cannot have what a request for `count` tokens lacks, in milliseconds; 0 if it may have it now. */
  #missingMs(count: number, nowMs: number): number {
    const { perSecond, burst } = this.#rate;
    const need = Math.min(burst, count - this.#tokens);
    if (need <= 0) return 0;
    const missing = need - (this.#most(nowMs) - this.#unanswered(need, nowMs));
    return missing <= 0 ? 0 : Math.ceil((missing / perSecond) * 1000);
  }

  /** The most tokens that the object can have. */
  #most(nowMs: number): number {
    const { perSecond, burst } = this.#rate;
    const ageMs = nowMs - (this.#bound?.atMs ?? Number.NEGATIVE_INFINITY);
    if (this.#bound === undefined || ageMs < 0 || ageMs >= REFUSED_MS_MAX) return burst;
    return Math.min(burst, this.#bound.tokens + (ageMs / 1000) * perSecond);
  }

  /** The tokens that requests have asked for which need no more than `most` each, and have no answer about yet. */
  #unanswered(most: number, nowMs: number): number {
    this.#forgetAsked(nowMs);
    let tokens = 0;
    for (const [need, requests] of this.#asked) {
      // No request waits for more than a full bucket.
      if (Math.min(need, this.#rate.burst) <= most) tokens += need * requests;
    }
    return tokens;
  }

  #noteAsked(need: number, nowMs: number): void {
    this.#forgetAsked(nowMs);
    if (need === 0) return;
    if (this.#asked.size === 0) this.#askedSinceMs = nowMs;
    this.#asked.set(need, (this.#asked.get(need) ?? 0) + 1);
  }

  #noteAnswered(need: number, nowMs: number): void {
    this.#forgetAsked(nowMs);
    const requests = this.#asked.get(need) ?? 0;
    if (requests > 1) this.#asked.set(need, requests - 1);
    else this.#asked.delete(need);
  }

  #forgetAsked(nowMs: number): void {
    const ageMs = nowMs - this.#askedSinceMs;
    if (ageMs < 0 || ageMs >= ASKED_MS_MAX) this.#asked.clear();
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
    this.#noteAsked(need, nowMs);
    return { need, more, unused };
  }

  /** Adds what the object has given to a request that asked, at `askedMs`, for `need` and for `more` ahead. */
  add(given: number, { need, more, left, askedMs, nowMs }: Answered): void {
    this.#expire(nowMs);
    this.#noteAnswered(need, nowMs);
    // The object has a part of a token besides those that it calls left.
    this.#bound = { tokens: left + 1, atMs: askedMs };
    this.#tokens += given;
    this.#leftElsewhere = left;
    this.#leasedMs = nowMs;
    if (more === 0 && this.#askedAheadMs !== undefined) return;
    this.#askedAheadMs = undefined;
    this.#used = 0;
  }

  /** The tokens that are left as far as the isolate knows. */
  left(nowMs: number): number {
    const elsewhere = Math.max(0, this.#leftElsewhere - this.#unanswered(Infinity, nowMs));
    return Math.min(this.#rate.burst, Math.floor(this.#tokens) + elsewhere);
  }

  #expire(nowMs: number): void {
    // The absolute value also covers a clock that was set back.
    if (this.#tokens === 0 || Math.abs(nowMs - this.#leasedMs) < LEASE_MS) return;
    this.#unused += this.#tokens;
    this.#tokens = 0;
  }
}

/** What was asked for when, and how many tokens the answer, which came at `nowMs`, has left to all isolates. */
interface Answered {
  readonly need: number;
  readonly more: number;
  readonly left: number;
  readonly askedMs: number;
  readonly nowMs: number;
}
