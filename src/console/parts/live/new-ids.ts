import type { Integer } from "#openapi";

/** Most ids that are kept. */
const IDS_MAX = 999;

/** The ids of what was written lately, of which so many are kept. They tell how many rows a list lacks, whenever it was read. */
export class NewIds {
  readonly #ids = new Set<bigint>();
  /** The largest id that was dropped, or that is known to be missed. */
  #missed = -1n;

  add(id: Integer): void {
    this.#ids.add(BigInt(id));
    const [oldest] = this.#ids;
    if (this.#ids.size <= IDS_MAX || oldest === undefined) return;
    this.#ids.delete(oldest);
    this.miss(oldest);
  }

  /** Notes that something of the id or below it was written, and is not counted. */
  miss(id: bigint): void {
    if (id > this.#missed) this.#missed = id;
  }

  /** How many rows are newer than the newest one of a list, and whether there may be more. */
  above(top: bigint): { readonly count: number; readonly isMore: boolean } {
    let count = 0;
    for (const id of this.#ids) if (id > top) count++;
    return { count, isMore: this.#missed > top };
  }
}
