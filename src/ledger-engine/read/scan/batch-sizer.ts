/** The most rows of the first batch and of later ones, and the most bytes of a batch. */
const ROWS_FIRST_MAX = 64;
const ROWS_MAX = 1000;
const BYTES_MAX = 4_000_000;

/** Decides how many rows are read next: twice as many each time, as long as they are small. */
export class BatchSizer {
  size: number;

  constructor(batch: number) {
    this.size = Math.max(1, Math.min(batch, ROWS_FIRST_MAX));
  }

  /** Sets the next size by the bytes of the rows that were read. */
  note(rows: readonly { readonly bytes: number }[]): void {
    if (rows.length === 0) return;
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0) / rows.length;
    this.size = Math.max(1, Math.min(this.size * 2, ROWS_MAX, Math.floor(BYTES_MAX / bytes)));
  }
}

/** Splits items into groups. `sizeOf` is called at the beginning of each group. */
export function* groupsOf<T>(items: Iterator<T, unknown>, sizeOf: () => number): Generator<T[]> {
  for (;;) {
    const group: T[] = [];
    const size = sizeOf();
    while (group.length < size) {
      const next = items.next();
      if (next.done === true) break;
      group.push(next.value);
    }
    if (group.length > 0) yield group;
    if (group.length < size) return;
  }
}

/** The first `count` items of an iterator, or all items that are left if there are fewer. */
export class Limited<T> implements Iterable<T> {
  readonly #items: Iterator<T, unknown>;
  readonly #count: number;
  /** The last item, once `count` items were taken and more may follow. */
  last: T | undefined;

  constructor(items: Iterator<T, unknown>, count: number) {
    this.#items = items;
    this.#count = count;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let left = this.#count; left > 0; left--) {
      const next = this.#items.next();
      if (next.done === true) return;
      yield next.value;
      if (left <= 1) this.last = next.value;
    }
  }
}
