/** A cache with a fixed limit. When it is full, the oldest entries are dropped. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /**
   * Adds an entry. The map may exceed its limit until `trim` is called, because what is not stored yet must not be
   * dropped.
   */
  set(key: K, value: V): void {
    this.#entries.set(key, value);
  }

  trim(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#sizeMax) return;
      this.#entries.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
