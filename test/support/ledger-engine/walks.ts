import { decodeCursor, type SortColumns } from "#platform/paging/cursor.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { type Order } from "#platform/paging/query.ts";

/** Reads a page. Before the read, it may write to the ledger, as other clients do. */
export type ReadPage<T> = (query: PageQuery) => Promise<Page<T>>;

export interface Walk<T> {
  /** The pages in the order in which they were read. */
  readonly forward: readonly (readonly T[])[];
  /** The pages on the way back, each in its natural order. */
  readonly backward: readonly (readonly T[])[];
}

export interface WalkOptions {
  readonly columns: SortColumns;
  readonly column: string;
  readonly order: Order;
  readonly pageSize: number;
}

/** Follows `next` to the last page and from there `previous` to the first, through cursors as clients send them. */
export async function walk<T>(read: ReadPage<T>, options: WalkOptions): Promise<Walk<T>> {
  const { columns, column, order, pageSize } = options;
  const resume = (cursor: string): PageQuery =>
    decodeCursor(cursor, { columns, pageSizeMax: 1000 });
  const forward: (readonly T[])[] = [];
  const backward: (readonly T[])[] = [];
  let page = await read({ kind: "column", column, order, pageSize, reverse: false });
  forward.push(page.data);
  while (page.next !== undefined) {
    page = await read(resume(page.next));
    forward.push(page.data);
    if (forward.length > PAGES_MAX) throw new Error("the walk forward does not end");
  }
  while (page.previous !== undefined) {
    page = await read(resume(page.previous));
    backward.push(page.data);
    if (backward.length > PAGES_MAX) throw new Error("the walk back does not end");
  }
  return { forward, backward };
}

/** The most pages of a walk in these tests. */
const PAGES_MAX = 1000;
