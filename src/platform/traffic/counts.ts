/** Why a request is refused before its work, or cannot be worked on. */
export const REJECTIONS = [
  "admission",
  "quota",
  "limit",
  "token",
  "size",
  "overloaded",
  "storage",
] as const;
export type Rejection = (typeof REJECTIONS)[number];

/** The classes of a status: the name of a status is that of its hundreds. */
export const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

/** The upper bounds of the buckets of times, in milliseconds. The last bucket has no bound. */
export const BOUNDS_MS = [5, 25, 100, 500, 2500] as const;

/** Why a request with this status was refused; undefined for all others. `refusedBy` tells those apart that have the status 429. */
export function rejectionOf(
  status: number,
  refusedBy: "admission" | "quota" | undefined,
): Rejection | undefined {
  if (status < 401) return undefined;
  switch (status) {
    case 401:
      return "token";
    case 413:
      return "size";
    case 429:
      return refusedBy ?? "limit";
    case 503:
      return "overloaded";
    case 507:
      return "storage";
    default:
      return undefined;
  }
}

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

/** How often requests were refused, by reason. */
export class RejectionCounts {
  readonly #counts = zeros(REJECTIONS.length);

  add(rejection: Rejection): void {
    const at = REJECTIONS.indexOf(rejection);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  /** The reasons for which requests were refused, with their numbers. */
  *entries(): Generator<readonly [Rejection, number]> {
    for (const [index, reason] of REJECTIONS.entries()) {
      const count = this.#counts[index] ?? 0;
      if (count > 0) yield [reason, count];
    }
  }
}

/** What is counted of answered requests. */
export class RequestCounts {
  readonly #byClass = zeros(STATUS_CLASSES.length);
  readonly rejections = new RejectionCounts();
  /** The time that all requests took until their answers began, in milliseconds. */
  durationMs = 0;

  add(status: number, durationMs: number, rejection: Rejection | undefined): void {
    const at = Math.trunc(status / 100) - 1;
    this.#byClass[at] = (this.#byClass[at] ?? 0) + 1;
    this.durationMs += durationMs;
    if (rejection !== undefined) this.rejections.add(rejection);
  }

  /** The classes of statuses that requests were answered with, with their numbers. */
  *statuses(): Generator<readonly [string, number]> {
    for (const [index, name] of STATUS_CLASSES.entries()) {
      const count = this.#byClass[index] ?? 0;
      if (count > 0) yield [name, count];
    }
  }
}

/** The same with a histogram of times. */
export class TimedCounts extends RequestCounts {
  /** Requests whose time is within a bound and above the one before. */
  readonly #buckets = zeros(BOUNDS_MS.length + 1);

  override add(status: number, durationMs: number, rejection: Rejection | undefined): void {
    super.add(status, durationMs, rejection);
    let at = 0;
    while (at < BOUNDS_MS.length && durationMs > (BOUNDS_MS[at] ?? Infinity)) at++;
    this.#buckets[at] = (this.#buckets[at] ?? 0) + 1;
  }

  /** The number of requests in each bucket, without those of the buckets before. */
  get buckets(): readonly number[] {
    return this.#buckets;
  }
}

/** Length of a slot of recent refusals, in milliseconds. */
const SLOT_MS = 60_000;

/** Requests that were refused, such as those of a client: all of them, and those of the present minute and of the one before. */
export class RefusedRequests {
  readonly counts = new RejectionCounts();
  #slot = 0;
  #inSlot = 0;
  #before = 0;

  add(rejection: Rejection, nowMs: number): void {
    this.counts.add(rejection);
    this.#moveTo(nowMs);
    this.#inSlot++;
  }

  /** Refusals of the last minute or two. */
  recent(nowMs: number): number {
    this.#moveTo(nowMs);
    return this.#inSlot + this.#before;
  }

  #moveTo(nowMs: number): void {
    const slot = Math.floor(nowMs / SLOT_MS);
    if (slot === this.#slot) return;
    this.#before = slot === this.#slot + 1 ? this.#inSlot : 0;
    this.#inSlot = 0;
    this.#slot = slot;
  }
}
