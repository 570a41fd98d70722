import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long the reads of an origin pause after failures. */
const READ_BACKOFF = doubling(2000, 60_000);

interface OriginState {
  /** Whether events of the origin are being read. */
  isBusy: boolean;
  failures: number;
  /** The origin is not read before this time of the lane. */
  untilMs: number;
  /** The first number of the origin's deliveries that were passed over; undefined if there are none. */
  from: number | undefined;
}

/**
 * Origins whose events cannot be read as fast as they come: a ledger that is busy, hangs, or is being read. Other deliveries pass
 * theirs over; these are read as a stream of their own once their origin can be read.
 */
export class OriginStreams {
  readonly #states = new Map<number, OriginState>();

  /** Whether every origin can be read and none has deliveries that were passed over. */
  get isEmpty(): boolean {
    return this.#states.size === 0;
  }

  /** The origins whose deliveries are passed over. */
  get origins(): number[] {
    return [...this.#states].flatMap(([origin, { from }]) => (from === undefined ? [] : [origin]));
  }

  /** The smallest number of a delivery that was passed over; Infinity if there is none. */
  get head(): number {
    return Math.min(...[...this.#states.values()].map(({ from = Infinity }) => from));
  }

  /** When the next of the resting origins can be read again; undefined if none rests. */
  nextAfter(laneMs: number): number | undefined {
    const times = [...this.#states.values()].flatMap(({ isBusy, untilMs }) =>
      isBusy || untilMs <= laneMs ? [] : [untilMs],
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** The origins that are not read at this time. */
  restingAt(laneMs: number): number[] {
    return [...this.#states].flatMap(([origin, { isBusy, untilMs }]) =>
      isBusy || untilMs > laneMs ? [origin] : [],
    );
  }

  /** The origins whose streams can continue, and the numbers at which they do. */
  readyAt(laneMs: number): { origin: number; from: number }[] {
    return [...this.#states].flatMap(([origin, { isBusy, untilMs, from }]) =>
      isBusy || untilMs > laneMs || from === undefined ? [] : [{ origin, from }],
    );
  }

  isBusy(origin: number): boolean {
    return this.#states.get(origin)?.isBusy ?? false;
  }

  begin(origin: number): void {
    this.#stateOf(origin).isBusy = true;
  }

  succeed(origin: number): void {
    const state = this.#stateOf(origin);
    Object.assign(state, { isBusy: false, failures: 0, untilMs: 0 });
    this.#forget(origin, state);
  }

  fail(origin: number, laneMs: number): void {
    const state = this.#stateOf(origin);
    state.isBusy = false;
    state.failures++;
    state.untilMs = laneMs + waitAfterFailures(READ_BACKOFF, state.failures);
  }

  /** Notes that a delivery is passed over. */
  add(origin: number, seq: number): void {
    const state = this.#stateOf(origin);
    state.from = Math.min(state.from ?? Infinity, seq);
  }

  /** Notes that all deliveries of the stream before this number were chosen. */
  advance(origin: number, seq: number): void {
    this.#stateOf(origin).from = seq;
  }

  /** Ends a stream, all of whose deliveries were chosen. */
  end(origin: number): void {
    const state = this.#stateOf(origin);
    state.from = undefined;
    this.#forget(origin, state);
  }

  #stateOf(origin: number): OriginState {
    const known = this.#states.get(origin);
    if (known !== undefined) return known;
    const state = { isBusy: false, failures: 0, untilMs: 0, from: undefined };
    this.#states.set(origin, state);
    return state;
  }

  #forget(origin: number, { isBusy, failures, from }: OriginState): void {
    if (!isBusy && failures === 0 && from === undefined) this.#states.delete(origin);
  }
}
