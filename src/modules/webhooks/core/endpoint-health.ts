import { AdaptiveConcurrency } from "./adaptive-concurrency.ts";
import { afterFailure, type BreakerState, callsAllowed, CLOSED } from "./breaker.ts";
import { classify, isRefusalOfMessage } from "./retry.ts";

/** A call that has ended. */
export interface EndedCall {
  /** The HTTP status; 0 if no answer came. */
  readonly statusCode: number;
  readonly durationMs: number;
}

/** What the calls of an endpoint have shown: whether it works (circuit breaker) and how fast it is (pace). */
export class EndpointHealth {
  #breaker: BreakerState;
  #isStored = true;
  #pace = new AdaptiveConcurrency();

  constructor(stored: BreakerState) {
    this.#breaker = stored;
  }

  get breaker(): BreakerState {
    return this.#breaker;
  }

  /** Whether the state of the breaker is the one that was stored last. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** Whether the breaker is open, so that calls are paused or one call probes. */
  get isDown(): boolean {
    return this.#breaker.openUntilMs !== undefined;
  }

  /** How many calls may be under way at `laneMs`. */
  callsAllowed(laneMs: number): number {
    return callsAllowed(this.#breaker, laneMs, this.#pace.callsMax);
  }

  /** Counts a call that ended at `laneMs`. Returns whether it succeeded. */
  learn({ statusCode, durationMs }: EndedCall, laneMs: number): boolean {
    const hasSucceeded = classify(statusCode) === "succeeded";
    this.#pace.learn(durationMs, hasSucceeded);
    if (hasSucceeded) {
      this.close();
      return true;
    }
    const failed = {
      nowMs: laneMs,
      startedMs: laneMs - durationMs,
      isRefusalOfMessage: isRefusalOfMessage(statusCode),
    };
    this.#setBreaker(afterFailure(this.#breaker, failed));
    return false;
  }

  /** Closes the breaker. */
  close(): void {
    this.#setBreaker(CLOSED);
  }

  /** Forgets how fast the endpoint is, because it is another one. */
  forgetPace(): void {
    this.#pace = new AdaptiveConcurrency();
  }

  markStored(): void {
    this.#isStored = true;
  }

  #setBreaker(state: BreakerState): void {
    if (state === CLOSED && this.#breaker === CLOSED) return;
    this.#breaker = state;
    this.#isStored = false;
  }
}
