import type { Order } from "#platform/paging/query.ts";

/** The position of a row in a list that is sorted by a date, in microseconds since 1970, then by id. */
export interface SortKey {
  readonly value: bigint;
  readonly id: number;
}

export function compareSortKeys(order: Order): (a: SortKey, b: SortKey) => number {
  const sign = order === "asc" ? 1 : -1;
  return (a, b) => (a.value === b.value ? a.id - b.id : a.value < b.value ? -1 : 1) * sign;
}

/** The first key after another key. No two rows have the same date and id. */
export const nextSortKey = (order: Order, { value, id }: SortKey): SortKey => ({
  value,
  id: order === "asc" ? id + 1 : id - 1,
});

/** Selects a part of a list that is sorted by date: from a key up to a date, both included. */
export interface DateScanOptions {
  readonly from: SortKey;
  readonly until: bigint;
  readonly order: Order;
  readonly batch: number;
  /** Whether an earlier part of the read has tried many rows, so that few rows are known to match. */
  readonly isRest?: boolean | undefined;
}
