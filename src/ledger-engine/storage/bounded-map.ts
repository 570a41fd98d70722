/** A cache with a named limit: when it is full, what was added first goes first. */
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

  /** May exceed the limit until `trim` is called: what is not stored yet must not be dropped. */
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
