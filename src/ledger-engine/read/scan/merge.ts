/** A stream to merge. Its items are in order. */
export interface Stream<T> {
  readonly items: Iterator<T, unknown>;
  /** A lower bound of the items. The stream is not read before the turn of the bound. */
  readonly hint?: T;
}

/**
 * A k-way merge of sorted streams with a binary heap (Knuth, The Art of Computer Programming, vol. 3, section 5.4.1). Equal items
 * are next to each other. A stream is read only when its next item is needed; a hint stands for its first item until then:
 *
 *     account 1    3   7   12  …  ─┐
 *     account 2    7   9   30  …  ─┼─► heap of the next item of each stream ─► 3 7 7 9 12 30 …
 *     account 3    hint 500       ─┘   account 3 is not read before 500
 */
export function* mergeStreams<T>(
  streams: Iterable<Stream<T>>,
  compare: (a: T, b: T) => number,
): Generator<T> {
  const heap = new Heap<Head<T>>((a, b) => compare(a.item, b.item));
  for (const { items, hint } of streams) {
    const head = hint === undefined ? readHead(items) : { items, item: hint, isRead: false };
    if (head !== undefined) heap.push(head);
  }
  for (let top = heap.top; top !== undefined; top = heap.top) {
    if (top.isRead) yield top.item;
    const next = readHead(top.items);
    if (next === undefined) heap.pop();
    else heap.replaceTop(next);
  }
}

/** A stream with its next item, or with the hint before an item was read. */
interface Head<T> {
  readonly items: Iterator<T, unknown>;
  readonly item: T;
  readonly isRead: boolean;
}

function readHead<T>(items: Iterator<T, unknown>): Head<T> | undefined {
  const next = items.next();
  return next.done === true ? undefined : { items, item: next.value, isRead: true };
}

/** A binary heap with the first item in order at its top. */
class Heap<T> {
  readonly #items: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get top(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    let index = this.#items.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = this.#items[above];
      if (parent === undefined || this.#compare(parent, item) <= 0) break;
      this.#items[index] = parent;
      index = above;
    }
    this.#items[index] = item;
  }

  pop(): void {
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.replaceTop(last);
  }

  replaceTop(item: T): void {
    const items = this.#items;
    let index = 0;
    for (;;) {
      const below = this.#firstBelow(index);
      const child = below === undefined ? undefined : items[below];
      if (below === undefined || child === undefined || this.#compare(item, child) <= 0) break;
      items[index] = child;
      index = below;
    }
    items[index] = item;
  }

  #firstBelow(index: number): number | undefined {
    const left = 2 * index + 1;
    const [a, b] = [this.#items[left], this.#items[left + 1]];
    if (a === undefined) return undefined;
    return b === undefined || this.#compare(a, b) <= 0 ? left : left + 1;
  }
}
