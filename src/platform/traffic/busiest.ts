interface Place<V> {
  readonly value: V;
  /** Requests of the key in the present period. */
  recent: number;
}

export interface BusiestOptions<V> {
  /** Most keys with a value of their own. */
  readonly placesMax: number;
  /** Time after which busier keys replace less busy ones, in milliseconds. */
  readonly periodMs: number;
  readonly makeValue: () => V;
}

/** Most keys without a place whose requests are counted in a period, to find the busiest of them. */
const CANDIDATES_MAX = 32;
/** How many times as busy as a key with a place another key has to be for its place, so that keys which are about as busy do not alternate. */
const REPLACING_FACTOR = 2;
/** Longest key that gets a place, in characters. */
const KEY_LENGTH_MAX = 128;

/**
 * Values of the busiest of any number of keys, in bounded memory. The others share one value:
 *
 *     key ─┬─ has a place ────────────────► its own value
 *          ├─ a place is free ──► place ──► its own value
 *          └─ otherwise: candidate ───────► the others' value
 *
 *     at the end of a period, each candidate that was twice as busy as the least busy place takes that place
 *
 * Candidates are counted as by J. Misra and D. Gries, "Finding repeated elements" (1982): a key that is not among the `CANDIDATES_MAX` ones
 * takes one from the count of each, which costs no more than was counted before. A count is therefore never too high, and a key with more
 * than one in 33 of these requests is always among the candidates.
 *
 * A key that loses its place and gets one again begins with a new value, which counters of OpenMetrics allow.
 */
export class Busiest<V> {
  readonly others: V;
  readonly #options: BusiestOptions<V>;
  readonly #places = new Map<string, Place<V>>();
  readonly #candidates = new Map<string, number>();
  #endMs = 0;

  constructor(options: BusiestOptions<V>) {
    this.#options = options;
    this.others = options.makeValue();
  }

  /** The value in which a request of `key` at `nowMs`, in milliseconds since the epoch, is counted. A key that is not `known` gets no place. */
  of(key: string, nowMs: number, isKnown: boolean): V {
    // The clock may step back.
    if (nowMs >= this.#endMs || this.#endMs - nowMs > this.#options.periodMs) {
      this.#endPeriod(nowMs);
    }
    const place = this.#places.get(key);
    if (place !== undefined) {
      place.recent++;
      return place.value;
    }
    if (!isKnown || key.length > KEY_LENGTH_MAX) return this.others;
    if (this.#places.size < this.#options.placesMax) return this.#enter(key, 1);
    this.#nominate(key);
    return this.others;
  }

  /** The keys that have a place, with their values. */
  *entries(): Generator<readonly [string, V]> {
    for (const [key, { value }] of this.#places) yield [key, value];
  }

  #enter(key: string, recent: number): V {
    const value = this.#options.makeValue();
    this.#places.set(key, { value, recent });
    return value;
  }

  #nominate(key: string): void {
    const counted = this.#candidates.get(key);
    if (counted !== undefined || this.#candidates.size < CANDIDATES_MAX) {
      this.#candidates.set(key, (counted ?? 0) + 1);
      return;
    }
    for (const [other, count] of this.#candidates) {
      if (count === 1) this.#candidates.delete(other);
      else this.#candidates.set(other, count - 1);
    }
  }

  #endPeriod(nowMs: number): void {
    const quietest = [...this.#places].toSorted(([, a], [, b]) => a.recent - b.recent);
    const busiest = [...this.#candidates].toSorted(([, a], [, b]) => b - a);
    for (const [index, [key, count]] of busiest.entries()) {
      const [quietKey, quiet] = quietest[index] ?? [];
      if (quietKey === undefined || quiet === undefined) break;
      if (count < REPLACING_FACTOR * Math.max(quiet.recent, 1)) break;
      this.#places.delete(quietKey);
      this.#enter(key, 0);
    }
    for (const place of this.#places.values()) place.recent = 0;
    this.#candidates.clear();
    this.#endMs = nowMs + this.#options.periodMs;
  }
}
