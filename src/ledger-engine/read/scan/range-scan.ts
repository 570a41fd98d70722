import {
  BoundedScan,
  IdList,
  type IdRange,
  type IdScan,
  type ScanOptions,
  UnionScan,
} from "./id-scan.ts";

/** All ids of a range, and a few ids outside of it. Rows of the range are read without a list of its ids. */
export class RangeScan implements IdScan {
  readonly isOrdered = true;
  readonly range: IdRange;
  /** The ids below the range. */
  readonly below: IdScan;
  /** The ids above the range. */
  readonly above: IdScan;
  readonly #all: UnionScan;

  /** `scan` gives the ids of the range. `sizeOf` may give the exact number of ids, if the caller has another way to count them. */
  constructor(scan: IdScan, range: IdRange, { others = [], sizeOf }: RangeOptions = {}) {
    this.range = range;
    this.below = new IdList(others.filter((id) => id < range.from));
    this.above = new IdList(others.filter((id) => id > range.to));
    const bounded = new BoundedScan(scan, range);
    const isWhole = others.length === 0;
    this.#all = new UnionScan(
      isWhole ? [bounded] : [this.below, bounded, this.above],
      sizeOf ?? (isWhole ? (within) => bounded.size(within) : undefined),
    );
  }

  iterate(options: ScanOptions): Generator<number> {
    return this.#all.iterate(options);
  }

  iterateUnordered(range: IdRange): Generator<number> {
    return this.#all.iterateUnordered(range);
  }

  count(range: IdRange, max: number): number {
    return this.#all.count(range, max);
  }

  size(range: IdRange): number | undefined {
    return this.#all.size(range);
  }

  materialized(): IdScan {
    return this;
  }

  cost(): number {
    return 0;
  }
}

export interface RangeOptions {
  readonly others?: readonly number[];
  readonly sizeOf?: (range: IdRange) => number | undefined;
}
