/**
 * Computes a value once for each environment object: settings, key sets. The values are a cache that lives as long as the isolate, never a
 * place for state.
 */
export function memoByEnv<E extends object, V>(compute: (env: E) => V): (env: E) => V {
  const values = new WeakMap<E, V>();
  return (env) => {
    const known = values.get(env);
    if (known !== undefined) return known;
    const value = compute(env);
    values.set(env, value);
    return value;
  };
}

export interface RememberedBounds {
  readonly countMax: number;
  /** The length of the longest cached text, in UTF-16 units. */
  readonly lengthMax: number;
}

/**
 * A cache of values that were computed from texts, with first-in, first-out eviction. A value must depend on its text alone and must not be
 * changed; see `frozen`. The cache is never a place for state.
 */
export class Remembered<V> {
  readonly #values = new Map<string, V>();
  /**
   * The iterator over the texts, oldest first, from the first eviction on. It is kept, because a new iterator would walk over the places of
   * all evicted texts.
   */
  #oldest: Iterator<string, undefined> | undefined;
  readonly #bounds: RememberedBounds;

  constructor(bounds: RememberedBounds) {
    this.#bounds = bounds;
  }

  get(text: string): V | undefined {
    return this.#values.get(text);
  }

  /** Caches a value. Evicts the oldest value if the cache is full. A text that is too long is not cached. */
  add(text: string, value: V): void {
    const { countMax, lengthMax } = this.#bounds;
    if (text.length > lengthMax) return;
    if (this.#values.size >= countMax) {
      this.#oldest ??= this.#values.keys();
      const { done, value: oldest } = this.#oldest.next();
      if (done !== true) this.#values.delete(oldest);
    }
    this.#values.set(text, value);
  }
}

/** Freezes a value and its members, at all depths. */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}
