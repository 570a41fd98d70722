import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long a lane rests after its own work has failed. */
const BACKOFF = doubling(2000, 60_000);

/** The rest of a lane whose own work fails, such as a write to its storage. Times are milliseconds of the lane's clock. */
export class FailureBackoff {
  #failures = 0;
  #untilMs = 0;

  /** The lane begins no call before this time. */
  get untilMs(): number {
    return this.#untilMs;
  }

  /** Begins a rest, which is longer after each failure in a row. */
  begin(laneMs: number): void {
    this.#untilMs = laneMs + waitAfterFailures(BACKOFF, ++this.#failures);
  }

  /** Ends the row of failures. A rest that has begun still lasts until its end. */
  succeed(): void {
    this.#failures = 0;
  }
}
