import type { Timestamp } from "#platform/time.ts";

export type Order = "asc" | "desc";

/** The start of a page: the value of the sort column and, if the values are not unique, the id of the row. */
export interface PageKey {
  readonly value: bigint | string;
  readonly tie?: bigint;
}

/** The scope of a list: filter, expansions, options, and point in time. */
export interface ListScope {
  /** The point in time and the origin of time. */
  readonly pit?: Timestamp;
  readonly oot?: Timestamp;
  /** A filter of the list language, as JSON text; see `filter/filter.ts`. */
  readonly where?: string;
  readonly expand?: readonly string[];
  /** Further options of the resource's lists. */
  readonly options?: ListOptions;
}

export type ListOptions = Readonly<Record<string, string | number | boolean | null>>;

interface QueryBase extends ListScope {
  /** The name of the list, so that cursors of other lists are refused. */
  readonly list?: string;
  readonly column: string;
  readonly order: Order;
  readonly pageSize: number;
}

/** A page that starts at a key. `bottom` is the key of the first row of the whole walk. */
export interface ColumnQuery extends QueryBase {
  readonly kind: "column";
  readonly bottom?: PageKey;
  readonly start?: PageKey;
  readonly reverse: boolean;
  /** Rows of the page that are still to be read, after a part of the page was read. */
  readonly wanted?: number;
}

/** A page that starts after a number of rows. */
export interface OffsetQuery extends QueryBase {
  readonly kind: "offset";
  readonly offset: number;
}

export type PageQuery = ColumnQuery | OffsetQuery;
