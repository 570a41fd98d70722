import type { ClientLeases } from "./client-leases.ts";
import type { Counts } from "./counts.ts";
import { type RateLeft, rateLimitFields } from "./rate-limit-fields.ts";
import { RATE_KINDS, type RateKind } from "#modules/auth/core/quota.ts";
import type { QuotaUse, StreamPlace } from "#platform/admission/quotas.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";

/** Least time between two signs of life of a stream, in milliseconds. */
const KEEP_MS = 45_000;
/** Bounds of one wait of a body that arrives too fast, in milliseconds. */
const PACE_MS_MIN = 20;
const PACE_MS_MAX = 1000;
/** Seconds after which a client may try a stream again. When one of its streams ends is not known. */
const STREAM_RETRY_SECONDS = 5;

/** The use of a client's quota by one request. */
export class RequestQuota implements QuotaUse {
  readonly #leases: ClientLeases;
  /** What the answer tells of each rate that the request has used. */
  readonly #lefts = new Map<RateKind, RateLeft>();

  constructor(leases: ClientLeases) {
    this.#leases = leases;
  }

  takeRequest(isWrite: boolean): Promise<void> | undefined {
    return this.#take(isWrite ? { requests: 1, writes: 1 } : { requests: 1 });
  }

  takeElements(count: number): Promise<void> | undefined {
    return count === 0 ? undefined : this.#take({ elements: count });
  }

  paceElement(): Promise<void> | undefined {
    const taken = this.#leases.take(ONE_ELEMENT, false);
    return taken === 0 ? undefined : this.#pace(taken);
  }

  async openStream(): Promise<StreamPlace> {
    const { streams } = this.#leases.quota;
    if (streams === undefined) return NO_PLACE;
    const place = newId();
    if (await this.#leases.openStream(place)) return new HeldPlace(this.#leases, place);
    throw new AppError(
      "RATE_LIMITED",
      `the client has ${streams} streams open, which is its quota; close one first`,
      { retryAfterSeconds: STREAM_RETRY_SECONDS, refusedBy: "quota" },
    );
  }

  headers(): Readonly<Record<string, string>> {
    return rateLimitFields(this.#leases.quota, this.#lefts);
  }

  #take(counts: Counts): Promise<void> | undefined {
    const waitMs = this.#leases.take(counts, true);
    if (waitMs instanceof Promise) return waitMs.then((later) => this.#end(counts, later));
    this.#end(counts, waitMs);
    return undefined;
  }

  /** Notes what is left. Throws `RATE_LIMITED` if the tokens were not taken. */
  #end(counts: Counts, waitMs: number): void {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    for (const kind of RATE_KINDS) {
      const rate = this.#leases.quota[kind];
      if (rate === undefined || counts[kind] === undefined) continue;
      const left = this.#leases.leftOf(kind) ?? 0;
      const untilFull = Math.ceil((rate.burst - left) / rate.perSecond);
      this.#lefts.set(kind, { left, seconds: waitMs > 0 ? retryAfterSeconds : untilFull });
    }
    if (waitMs === 0) return;
    throw new AppError(
      "RATE_LIMITED",
      `the client has used up its quota of ${namesOf(counts)} a second; try again in ${retryAfterSeconds} s`,
      { retryAfterSeconds, refusedBy: "quota" },
    );
  }

  async #pace(first: number | Promise<number>): Promise<void> {
    for (let waitMs = await first; waitMs > 0;) {
      const pauseMs = Math.min(PACE_MS_MAX, Math.max(PACE_MS_MIN, waitMs));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      waitMs = await this.#leases.take(ONE_ELEMENT, false);
    }
  }
}

const ONE_ELEMENT: Counts = { elements: 1 };

const namesOf = (counts: Counts): string =>
  counts.elements === undefined ? Object.keys(counts).join(" or ") : "elements of bulks";

const NO_PLACE: StreamPlace = { keep: () => undefined, release: () => undefined };

/** A place among the open streams of a client. If the isolate dies, the object gives the place back after three minutes. */
class HeldPlace implements StreamPlace {
  readonly #leases: ClientLeases;
  readonly #id: string;
  #seenMs = Date.now();
  #isReleased = false;

  constructor(leases: ClientLeases, id: string) {
    this.#leases = leases;
    this.#id = id;
  }

  keep(): void {
    const nowMs = Date.now();
    if (this.#isReleased || Math.abs(nowMs - this.#seenMs) < KEEP_MS) return;
    this.#seenMs = nowMs;
    void this.#leases.keepStream(this.#id);
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    void this.#leases.closeStream(this.#id);
  }
}
