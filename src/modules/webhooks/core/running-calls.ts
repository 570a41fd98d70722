/** A call that has begun. */
export interface BegunCall {
  /** When it began, by the clock of its lane, in milliseconds. */
  readonly begunMs: number;
  /** Length of its body, in characters. */
  readonly length: number;
}

/**
 * The calls of a lane that have begun and not ended. A call holds its place only for the time of a lease: a call that has neither ended nor
 * met its deadline by then, because the runtime has lost the timer of the deadline or the end of the call, is given up, and its delivery is
 * attempted again. The end of a call that was given up comes too late and is dropped.
 *
 *     begin ──► running ──► end() is true: the call's result counts
 *                  │
 *                  └─ lease is over ──► giveUp() returns the call ──► end() is false: the result is dropped
 */
export class RunningCalls<Call extends BegunCall> {
  readonly #calls = new Set<Call>();
  readonly #leaseMs: number;
  #length = 0;

  /** Calls are given up `leaseMs` milliseconds after their beginning. */
  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  get count(): number {
    return this.#calls.size;
  }

  /** Length of the bodies of all calls, in characters. */
  get length(): number {
    return this.#length;
  }

  begin(call: Call): void {
    this.#calls.add(call);
    this.#length += call.length;
  }

  /** Removes a call that has ended. Returns whether its result counts. */
  end(call: Call): boolean {
    const isRunning = this.#calls.delete(call);
    if (isRunning) this.#length -= call.length;
    return isRunning;
  }

  /** Removes and returns the calls whose lease is over at a time of the lane's clock. */
  giveUp(laneMs: number): Call[] {
    const over = [...this.#calls].filter(({ begunMs }) => laneMs - begunMs >= this.#leaseMs);
    return over.filter((call) => this.end(call));
  }
}
