import type { Order } from "#platform/paging/pagination.ts";

/** A place in a list that is sorted by a date, in microseconds; the id tells equal dates apart. */
export interface SortKey {
  readonly value: bigint;
  readonly id: number;
}

export function compareSortKeys(order: Order): (a: SortKey, b: SortKey) => number {
  const sign = order === "asc" ? 1 : -1;
  return (a, b) => (a.value === b.value ? a.id - b.id : a.value < b.value ? -1 : 1) * sign;
}

/** The first place behind another: no two rows have the same date and id. */
export const nextSortKey = (order: Order, { value, id }: SortKey): SortKey => ({
  value,
  id: order === "asc" ? id + 1 : id - 1,
});

/** Where a list of dates is read: from a place on, up to a date that is included. */
export interface DateScanOptions {
  readonly from: SortKey;
  readonly until: bigint;
  readonly order: Order;
  readonly batch: number;
  /** Whether many rows were tried before, so that it is known that few match. */
  readonly isRest?: boolean | undefined;
}
