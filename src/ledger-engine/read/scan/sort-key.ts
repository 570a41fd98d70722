import type { Order } from "#platform/paging/query.ts";

/** The position of a row in a list that is sorted by a date, in microseconds. The id tells equal dates apart. */
export interface SortKey {
  readonly value: bigint;
  readonly id: number;
}

export function compareSortKeys(order: Order): (a: SortKey, b: SortKey) => number {
  const sign = order === "asc" ? 1 : -1;
  return (a, b) => (a.value === b.value ? a.id - b.id : a.value < b.value ? -1 : 1) * sign;
}

/** The first key after another one. No two rows have the same date and id. */
export const nextSortKey = (order: Order, { value, id }: SortKey): SortKey => ({
  value,
  id: order === "asc" ? id + 1 : id - 1,
});

/** Which part of a list that is sorted by date is read: from a key up to a date, both included. */
export interface DateScanOptions {
  readonly from: SortKey;
  readonly until: bigint;
  readonly order: Order;
  readonly batch: number;
  /** Whether many rows were tried before, so that few rows are known to match. */
  readonly isRest?: boolean | undefined;
}
