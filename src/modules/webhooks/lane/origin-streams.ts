import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** When the events of an origin are read again that could not be read, in milliseconds. */
const READ_BACKOFF = doubling(2000, 60_000);

interface OriginState {
  /** Whether its events are being read. */
  isBusy: boolean;
  failures: number;
  /** It is not asked before this time of the lane. */
  untilMs: number;
  /** Where its deliveries begin that were passed over; undefined if there are none. */
  from: number | undefined;
}

/**
 * The origins of events that cannot be read as fast as they come: a ledger that is busy, that hangs, or is just being read. Their
 * deliveries are passed over by the others, and come as a stream of their own when they can be read.
 */
export class OriginStreams {
  readonly #states = new Map<number, OriginState>();

  /** Whether every origin can be asked, and none has deliveries that were passed over. */
  get isEmpty(): boolean {
    return this.#states.size === 0;
  }

  /** The origins whose deliveries are passed over. */
  get origins(): number[] {
    return [...this.#states].flatMap(([origin, { from }]) => (from === undefined ? [] : [origin]));
  }

  /** The smallest number of a delivery that was passed over. */
  get head(): number {
    return Math.min(...[...this.#states.values()].map(({ from = Infinity }) => from));
  }

  /** When the next origin that rests at this time can be asked again; undefined if none rests. */
  nextAfter(laneMs: number): number | undefined {
    const times = [...this.#states.values()].flatMap(({ isBusy, untilMs }) =>
      isBusy || untilMs <= laneMs ? [] : [untilMs],
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** The origins that are not asked at this time. */
  restingAt(laneMs: number): number[] {
    return [...this.#states].flatMap(([origin, { isBusy, untilMs }]) =>
      isBusy || untilMs > laneMs ? [origin] : [],
    );
  }

  /** The streams that can go on. */
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

  /** A delivery is passed over. */
  add(origin: number, seq: number): void {
    const state = this.#stateOf(origin);
    state.from = Math.min(state.from ?? Infinity, seq);
  }

  /** Deliveries before this number were chosen. */
  advance(origin: number, seq: number): void {
    this.#stateOf(origin).from = seq;
  }

  /** No delivery is passed over any more. */
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
