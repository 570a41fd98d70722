/** A cache with a fixed limit. `trim` drops the entries that were added first (FIFO). */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #sizeMax: number;
  /** Iterates over the keys from the first trim on. A new iterator would first skip the slots of all deleted entries. */
  #oldest: Iterator<K, undefined> | undefined;
  /**
   * The two entries that were found last: one transaction asks for the same two several times, and most transactions
   * share one of them with the transaction before. Comparing a key takes a fraction of the time of a look-up.
   */
  #last: Found<K, V> | undefined;
  #lastButOne: Found<K, V> | undefined;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const last = this.#last;
    if (last !== undefined && last.key === key) return last.value;
    const other = this.#lastButOne;
    if (other === undefined || other.key !== key) return this.#lookUp(key);
    this.#lastButOne = last;
    this.#last = other;
    return other.value;
  }

  /**
   * Adds an entry. The map may exceed its limit until `trim` is called, because entries that are not stored yet must not
   * be dropped.
   */
  set(key: K, value: V): void {
    this.#entries.set(key, value);
    if (this.#last?.key === key) this.#last.value = value;
    else if (this.#lastButOne?.key === key) this.#lastButOne.value = value;
  }

  trim(): void {
    if (this.#entries.size <= this.#sizeMax) return;
    this.#forgetFound();
    this.#oldest ??= this.#entries.keys();
    while (this.#entries.size > this.#sizeMax) {
      const { done, value: key } = this.#oldest.next();
      if (done === true) return;
      this.#entries.delete(key);
    }
  }

  clear(): void {
    this.#forgetFound();
    this.#oldest = undefined;
    this.#entries.clear();
  }

  #lookUp(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      const found = this.#lastButOne ?? { key, value };
      found.key = key;
      found.value = value;
      this.#lastButOne = this.#last;
      this.#last = found;
    }
    return value;
  }

  #forgetFound(): void {
    this.#last = undefined;
    this.#lastButOne = undefined;
  }
}

interface Found<K, V> {
  key: K;
  value: V;
}
