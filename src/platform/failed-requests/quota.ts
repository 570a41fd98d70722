/** A rate of rows: `perSecond` in the long run, and up to `burst` at once. */
export interface RowRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Limits of a quota, and the most principals that it knows at once. */
export interface QuotaLimits {
  readonly perPrincipal: RowRate;
  readonly total: RowRate;
  readonly principalsMax: number;
}

/** Failures that have no row, by the request whose row counts them. */
export interface Omitted {
  /** Failures of the principal of the request, by the request's id. */
  readonly more: ReadonlyMap<string, number>;
  /** Failures of other principals, and the request whose row counts them; undefined if there are none. */
  readonly ofOthers: { readonly requestId: string; readonly count: number } | undefined;
}

/** The known state of a principal. */
interface Known {
  readonly bucket: TokenBucket;
  /** The last request of the principal that got a row. */
  lastId: string | undefined;
  /** Failures after it that got none and are not reported yet. */
  omitted: number;
}

/**
 * Decides which failures get a row: a token bucket for each principal, and one for all (J. Turner, "New directions in communications", 1986).
 * A failure without a row is counted by the row before it:
 *
 *     failures of ann   f1  f2  f3  f4  f5 ······ f6
 *     tokens            2   1   0   0   0         1
 *     rows              f1  f2 (more: 3)          f6
 */
export class FailureQuota {
  readonly #limits: QuotaLimits;
  readonly #total: TokenBucket;
  readonly #known = new Map<string, Known>();
  #lastId: string | undefined;
  /** Failures of principals without a row, which are not reported yet. */
  #omittedOfOthers = 0;

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
    this.#total = new TokenBucket(limits.total);
  }

  /** Whether a failure gets a row. `principal` is a key. A failure without a row is counted. */
  take(principal: string, requestId: string, nowMs: number): boolean {
    const known = this.#find(principal, nowMs);
    if (known !== undefined && known.bucket.has(nowMs) && this.#total.has(nowMs)) {
      known.bucket.take();
      this.#total.take();
      known.lastId = requestId;
      this.#lastId = requestId;
      return true;
    }
    if (known?.lastId === undefined) this.#omittedOfOthers++;
    else known.omitted++;
    return false;
  }

  /** Whether counts wait for `report`. */
  get hasOmitted(): boolean {
    if (this.#omittedOfOthers > 0 && this.#lastId !== undefined) return true;
    for (const { omitted } of this.#known.values()) if (omitted > 0) return true;
    return false;
  }

  /** The counts since the last report. */
  report(): Omitted {
    const more = new Map<string, number>();
    for (const known of this.#known.values()) {
      if (known.omitted === 0 || known.lastId === undefined) continue;
      more.set(known.lastId, known.omitted);
      known.omitted = 0;
    }
    const count = this.#omittedOfOthers;
    if (count === 0 || this.#lastId === undefined) return { more, ofOthers: undefined };
    this.#omittedOfOthers = 0;
    return { more, ofOthers: { requestId: this.#lastId, count } };
  }

  /** The state of a principal; undefined if there are too many principals. */
  #find(principal: string, nowMs: number): Known | undefined {
    const found = this.#known.get(principal);
    if (found !== undefined) return found;
    const { perPrincipal, principalsMax } = this.#limits;
    if (this.#known.size >= principalsMax) this.#forgetQuiet(nowMs);
    if (this.#known.size >= principalsMax) return undefined;
    const known: Known = {
      bucket: new TokenBucket(perPrincipal),
      lastId: undefined,
      omitted: 0,
    };
    this.#known.set(principal, known);
    return known;
  }

  /** Forgets principals whose bucket is full again, which a new bucket replaces without a difference. */
  #forgetQuiet(nowMs: number): void {
    for (const [principal, { bucket, omitted }] of this.#known) {
      if (omitted === 0 && bucket.isFull(nowMs)) this.#known.delete(principal);
    }
  }
}

/** Tokens that come back at a rate. A clock that steps back brings none. */
class TokenBucket {
  readonly #rate: RowRate;
  #tokens: number;
  #atMs: number | undefined;

  constructor(rate: RowRate) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  has(nowMs: number): boolean {
    this.#refill(nowMs);
    return this.#tokens >= 1;
  }

  isFull(nowMs: number): boolean {
    this.#refill(nowMs);
    return this.#tokens >= this.#rate.burst;
  }

  /** Takes a token after `has`. */
  take(): void {
    this.#tokens--;
  }

  #refill(nowMs: number): void {
    const { perSecond, burst } = this.#rate;
    const passedMs = Math.max(0, nowMs - (this.#atMs ?? nowMs));
    this.#atMs = nowMs;
    this.#tokens = Math.min(burst, this.#tokens + (passedMs * perSecond) / 1000);
  }
}
