import type { AddressPattern } from "#ledger-engine";

/**
 * Finds the values whose patterns match an address: a tree (trie) of segments. The time to find them grows with the segments of the address
 * and with the patterns that begin like it, and not with the number of all patterns.
 *
 *     users:*:main     root ── users ── (any) ── main •
 *     users:42:...               └───── 42 ◦               ◦ any further segments
 */
export class PatternIndex<T> {
  readonly #root = new PatternNode<T>();

  add(pattern: AddressPattern, value: T): void {
    let node = this.#root;
    for (const segment of pattern.segments) node = node.childOf(segment);
    (pattern.isOpen ? node.open : node.ends).add(value);
  }

  delete({ segments, isOpen }: AddressPattern, value: T): void {
    const path = [this.#root];
    for (const segment of segments) {
      const child = path.at(-1)?.children.get(segment);
      if (child === undefined) return;
      path.push(child);
    }
    const last = path.at(-1);
    (isOpen ? last?.open : last?.ends)?.delete(value);
    for (let depth = path.length - 1; depth > 0 && path[depth]?.isEmpty === true; depth--) {
      path[depth - 1]?.children.delete(segments[depth - 1] ?? "");
    }
  }

  /** Calls `found` for each value of each pattern that matches, perhaps several times for a value. */
  match(address: string, found: (value: T) => void): void {
    let nodes: readonly PatternNode<T>[] = [this.#root];
    for (const segment of address.split(":")) {
      for (const { open } of nodes) open.forEach(found);
      nodes = nodes.flatMap(({ children }) => [
        ...childrenAt(children, segment),
        ...(segment === "" ? [] : childrenAt(children, ANY)),
      ]);
      if (nodes.length === 0) return;
    }
    for (const { open, ends } of nodes) {
      open.forEach(found);
      ends.forEach(found);
    }
  }
}

/** The segment of a pattern that stands for any segment. */
const ANY = "";

class PatternNode<T> {
  readonly children = new Map<string, PatternNode<T>>();
  /** The values of patterns that end here. */
  readonly ends = new Set<T>();
  /** The values of patterns after whose segments any others may follow. */
  readonly open = new Set<T>();

  get isEmpty(): boolean {
    return this.children.size + this.ends.size + this.open.size === 0;
  }

  childOf(segment: string): PatternNode<T> {
    const known = this.children.get(segment);
    if (known !== undefined) return known;
    const child = new PatternNode<T>();
    this.children.set(segment, child);
    return child;
  }
}

function childrenAt<T>(
  children: ReadonlyMap<string, PatternNode<T>>,
  segment: string,
): PatternNode<T>[] {
  const child = children.get(segment);
  return child === undefined ? [] : [child];
}
