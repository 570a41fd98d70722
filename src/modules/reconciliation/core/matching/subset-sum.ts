/** Which subset of amounts has a wanted sum. Indexes are those of the amounts that were given, ascending. */
export type SubsetSum = (
  | { readonly kind: "none" }
  | { readonly kind: "one"; readonly indexes: readonly number[] }
  /** Several subsets have a wanted sum; one of them is told. */
  | { readonly kind: "several"; readonly indexes: readonly number[] }
  /** The search was given up, because it took more steps than the limit. */
  | { readonly kind: "exhausted" }
) & { readonly work: number };

interface Wanted {
  /** The largest number of amounts of a subset. */
  readonly sizeMax: number;
  /** The largest number of steps. */
  readonly workMax: number;
  readonly fits: (sum: bigint) => boolean;
  /** Sums below `least` or above `greatest` never fit. */
  readonly least: bigint;
  readonly greatest: bigint;
}

/**
 * Finds subsets of at least one amount with a wanted sum, by depth-first branch and bound: amounts of great magnitude come first, and a
 * branch ends where what is left cannot bring its sum into the wanted range (S. Martello and P. Toth, "Knapsack Problems", 1990, chapter 4).
 * Sums and amounts may be negative. Subsets that differ only in which of several equal amounts they have count as one.
 */
export function subsetSum(amounts: readonly bigint[], wanted: Wanted): SubsetSum {
  const search = new Search(itemsOf(amounts), wanted);
  search.visit(0, 0n);
  return search.result();
}

interface Item {
  readonly amount: bigint;
  readonly index: number;
  /** The sum of the positive amounts, and that of the negative ones, from this item to the last. */
  readonly gain: bigint;
  readonly loss: bigint;
}

class Search {
  readonly #items: readonly Item[];
  readonly #wanted: Wanted;
  readonly #chosen: Item[] = [];
  #found: readonly Item[] | undefined;
  #isSeveral = false;
  #work = 0;

  constructor(items: readonly Item[], wanted: Wanted) {
    this.#items = items;
    this.#wanted = wanted;
  }

  visit(from: number, sum: bigint): void {
    const { sizeMax, workMax, fits, least, greatest } = this.#wanted;
    if (this.#chosen.length > 0 && fits(sum)) {
      if (this.#found === undefined) this.#found = [...this.#chosen];
      else this.#isSeveral = true;
    }
    if (this.#chosen.length === sizeMax) return;
    let previous: bigint | undefined;
    for (let place = from; place < this.#items.length; place += 1) {
      const item = this.#items[place];
      this.#work += 1;
      if (item === undefined || this.#isSeveral || this.#work > workMax) return;
      if (sum + item.gain < least || sum + item.loss > greatest) return;
      if (item.amount === previous) continue; // The first of equal amounts stands for all of them.
      previous = item.amount;
      this.#chosen.push(item);
      this.visit(place + 1, sum + item.amount);
      this.#chosen.pop();
    }
  }

  result(): SubsetSum {
    const work = this.#work;
    const isExhausted = work > this.#wanted.workMax;
    if (this.#found === undefined) return { kind: isExhausted ? "exhausted" : "none", work };
    const indexes = this.#found.map(({ index }) => index).toSorted((one, other) => one - other);
    if (this.#isSeveral) return { kind: "several", indexes, work };
    return isExhausted ? { kind: "exhausted", work } : { kind: "one", indexes, work };
  }
}

function itemsOf(amounts: readonly bigint[]): readonly Item[] {
  let gain = 0n;
  let loss = 0n;
  const ascending = amounts
    .map((amount, index) => ({ amount, index }))
    .toSorted(
      (one, other) => compareMagnitudes(one.amount, other.amount) || other.index - one.index,
    );
  const items = ascending.map(({ amount, index }): Item => {
    if (amount > 0n) gain += amount;
    else loss += amount;
    return { amount, index, gain, loss };
  });
  return items.toReversed();
}

/** Amounts of one magnitude are ordered by their signs, so that equal ones stand side by side. */
function compareMagnitudes(one: bigint, other: bigint): number {
  const difference = magnitude(one) - magnitude(other) || one - other;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
