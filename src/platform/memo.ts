/**
 * Computes a value once for each environment object: settings, key sets. It is a cache that lives as long as the
 * isolate, never a place for state.
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

/** How much is remembered. */
export interface RememberedBounds {
  readonly countMax: number;
  /** The length of the longest text, in UTF-16 units. */
  readonly lengthMax: number;
}

/**
 * What was made of the last few texts. It saves making the same again, and is never a place for state: what is remembered
 * depends on the text alone, and nobody may change it; see `frozen`.
 */
export class Remembered<V> {
  readonly #values = new Map<string, V>();
  /** Goes through the texts, once the first of them has to go. A new iterator would walk over the places of all that are gone. */
  #oldest: Iterator<string, undefined> | undefined;
  readonly #bounds: RememberedBounds;

  constructor(bounds: RememberedBounds) {
    this.#bounds = bounds;
  }

  get(text: string): V | undefined {
    return this.#values.get(text);
  }

  /**
   * Remembers a value. Where there is no room, the value that was added first is forgotten. A text that is too long is not
   * remembered.
   */
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

/** The same value, whose members nobody can change. */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}
