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

export interface CacheBounds<V> {
  /** The largest sum of the sizes of all entries. */
  readonly sizeMax: number;
  /** The size of an entry; by default 1, so that `sizeMax` is a number of entries. */
  readonly sizeOf?: (key: string, value: V) => number;
  /** The length of the longest key that is cached, in UTF-16 units; unlimited by default. */
  readonly keyLengthMax?: number;
}

/**
 * A cache of values by texts, with first-in, first-out eviction. A value must depend on its key alone, or name the version to which it
 * belongs, and must not be changed; see `frozen`. The cache is never a place for state.
 */
export class FifoCache<V> {
  readonly #values = new Map<string, V>();
  /**
   * The iterator over the keys, oldest first, from the first eviction on. It is kept, because a new iterator would walk over the places of
   * all evicted keys.
   */
  #oldest: Iterator<string, undefined> | undefined;
  readonly #bounds: Required<CacheBounds<V>>;
  #size = 0;

  constructor({ sizeMax, sizeOf = () => 1, keyLengthMax = Infinity }: CacheBounds<V>) {
    this.#bounds = { sizeMax, sizeOf, keyLengthMax };
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  /** Caches a value as the newest entry, in place of the key's earlier value. Evicts the oldest entries while the cache is too large. */
  set(key: string, value: V): void {
    const { sizeMax, sizeOf, keyLengthMax } = this.#bounds;
    if (key.length > keyLengthMax) return;
    this.#delete(key);
    this.#values.set(key, value);
    this.#size += sizeOf(key, value);
    while (this.#size > sizeMax) this.#evict();
  }

  clear(): void {
    this.#values.clear();
    this.#oldest = undefined;
    this.#size = 0;
  }

  #evict(): void {
    this.#oldest ??= this.#values.keys();
    const { done, value: oldest } = this.#oldest.next();
    // An iterator that has ended stays at its end, whatever entries come later.
    if (done === true) return this.clear();
    this.#delete(oldest);
  }

  #delete(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#size -= this.#bounds.sizeOf(key, value);
    this.#values.delete(key);
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
