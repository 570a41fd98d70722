import { assert } from "#platform/assert.ts";

/** Replaces the pair of a row that was taken. */
const TAKEN = -1;

/**
 * Rows that wait to be written, each about a pair of account and asset. The values of all rows are in one flat list. Most calls take
 * all rows, which only need to be sorted; the map of rows by pair is made only when some pairs are asked for.
 */
export class PairedRows<T> {
  /** The number of values of a row. */
  readonly #width: number;
  #values: T[] = [];
  /** The pair of each row. */
  #pairs: number[] = [];
  #pairMax = 0;
  /** The indexes of the waiting rows of each pair, rising, among the first `#lookedUp` rows. */
  readonly #rowsOf = new Map<number, number[]>();
  #lookedUp = 0;

  constructor(width: number) {
    this.#width = width;
  }

  /** Begins a row, whose values must be added to the list that this returns. */
  begin(pair: number): T[] {
    this.#pairs.push(pair);
    if (pair > this.#pairMax) this.#pairMax = pair;
    return this.#values;
  }

  has(pair: number): boolean {
    this.#lookUp();
    return this.#rowsOf.has(pair);
  }

  /**
   * Takes the values of all rows, or of the rows of some pairs, in the order of the primary key, so that each page of the table is found
   * and changed once. Rows of the same pair remain in the order in which they were added.
   */
  take(pairs?: readonly number[]): T[] {
    const { length } = this.#values;
    assert(length === this.#pairs.length * this.#width, "the values are those of whole rows");
    if (pairs !== undefined) return this.#takeSome(pairs);
    const taken = this.#valuesOf(this.#inTableOrder());
    this.clear();
    return taken;
  }

  clear(): void {
    this.#values = [];
    this.#pairs = [];
    this.#pairMax = 0;
    this.#rowsOf.clear();
    this.#lookedUp = 0;
  }

  #takeSome(pairs: readonly number[]): T[] {
    this.#lookUp();
    const rows: number[] = [];
    for (const pair of Float64Array.from(pairs).toSorted()) {
      for (const row of this.#rowsOf.get(pair) ?? []) {
        rows.push(row);
        this.#pairs[row] = TAKEN;
      }
      this.#rowsOf.delete(pair);
    }
    return this.#valuesOf(rows);
  }

  /** Adds the rows since the last call to the map of rows by pair. */
  #lookUp(): void {
    for (; this.#lookedUp < this.#pairs.length; this.#lookedUp++) {
      const pair = this.#pairs[this.#lookedUp] ?? TAKEN;
      const rows = this.#rowsOf.get(pair);
      if (rows === undefined) this.#rowsOf.set(pair, [this.#lookedUp]);
      else rows.push(this.#lookedUp);
    }
  }

  /**
   * The indexes of the rows that are not taken, sorted by pair, then by index. The sort keys are the numbers `pair × count + index`:
   * a typed array sorts numbers in a fraction of the time of a sort with a comparison function.
   */
  #inTableOrder(): Float64Array {
    const pairs = this.#pairs;
    const count = pairs.length;
    if (!Number.isSafeInteger((this.#pairMax + 1) * count)) return sortedByPair(pairs);
    const keys = new Float64Array(count);
    for (let row = 0; row < count; row++) keys[row] = (pairs[row] ?? TAKEN) * count + row;
    const sorted = keys.toSorted();
    let first = 0;
    for (let place = 0; place < count; place++) {
      const key = sorted[place] ?? 0;
      if (key < 0) first = place + 1; // the row was taken
      sorted[place] = key - Math.floor(key / count) * count; // the index of the row
    }
    return sorted.subarray(first);
  }

  #valuesOf(rows: ArrayLike<number>): T[] {
    const [values, width] = [this.#values, this.#width];
    const found: T[] = [];
    for (let index = 0; index < rows.length; index++) {
      const begin = (rows[index] ?? 0) * width;
      for (let place = begin; place < begin + width; place++) {
        found.push(values[place] as T); // each row has `width` values
      }
    }
    return found;
  }
}

/** `#inTableOrder` for pairs so large that no number holds a pair and an index exactly. */
function sortedByPair(pairs: readonly number[]): Float64Array {
  const rows = Float64Array.from(pairs.keys()).filter((row) => pairs[row] !== TAKEN);
  return rows.toSorted((a, b) => (pairs[a] ?? 0) - (pairs[b] ?? 0) || a - b);
}
