import type { Timestamp } from "#platform/time.ts";

export type Order = "asc" | "desc";

/** What a page starts from: the value of the sort column and, where that is not unique, the id of the row. */
export interface PageKey {
  readonly value: bigint | string;
  readonly tie?: bigint;
}

/** What a list shows, and as of when. */
export interface ListScope {
  /** Point in time, and origin of time. */
  readonly pit?: Timestamp;
  readonly oot?: Timestamp;
  /** A filter of the list language, as JSON text; see `filter/filter.ts`. */
  readonly where?: string;
  readonly expand?: readonly string[];
  /** What else the resource's lists take. */
  readonly options?: ListOptions;
}

export type ListOptions = Readonly<Record<string, string | number | boolean | null>>;

interface QueryBase extends ListScope {
  /** Names the list, so that the cursor of another one is refused. */
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
  /** How many rows of the page are still to be read, where others of it were read before. */
  readonly wanted?: number;
}

/** A page that starts after a number of rows. */
export interface OffsetQuery extends QueryBase {
  readonly kind: "offset";
  readonly offset: number;
}

export type PageQuery = ColumnQuery | OffsetQuery;
