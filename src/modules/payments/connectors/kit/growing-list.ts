import { z } from "zod";
import { readEach } from "./items.ts";
import { refused } from "./orders.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";

/**
 * How far a list was read that grows only at its end and has numbered pages. The next run requests the last page again, as the page may
 * have more items by then; known items are left out.
 */
const State = z.object({
  /** The page to request next. */
  page: z.int().min(1).default(1),
  /** The ids of the items of this page that are known. */
  known: z.array(z.string()).default([]),
  /** The ids of the items of the previous page, and how often this page has had the same items. */
  before: z.array(z.string()).default([]),
  repeats: z.int().default(0),
});

/** How often a page that has the items of the previous page is requested again. Beyond, the provider may repeat its last page for ever. */
const REPEATS_MAX = 5;

export interface GrowingList<Item> {
  /** The values of a page as the provider has sent them. The first page has the number one. */
  readonly readPage: (place: { page: number; pageSize: number }) => Promise<readonly unknown[]>;
  /** Reads a value; the item is undefined for a value that is left out. */
  readonly read: (value: unknown) => { readonly id: string; readonly item: Item | undefined };
}

/** One page of a list that grows only at its end. */
export async function fetchGrowingList<Item>(
  { state: stored, pageSize }: Pick<FetchRequest, "state" | "pageSize">,
  { readPage, read }: GrowingList<Item>,
): Promise<FetchPage<Item>> {
  const state = State.parse(stored ?? {});
  const { page, known, before, repeats } = state;
  const values = await readPage({ page, pageSize });
  const { items: listed, rejected, read: readIds } = readEach(values, read);
  const ids = listed.map(({ id }) => id);
  if (before.length > 0 && before.join("\n") === ids.join("\n")) {
    if (repeats >= REPEATS_MAX) {
      throw refused(`the provider answers page ${page} like the one before`);
    }
    return { items: [], state: { ...state, repeats: repeats + 1 }, hasMore: true };
  }
  const isFull = values.length >= pageSize;
  return {
    items: listed.flatMap(({ id, item }) =>
      item === undefined || known.includes(id) ? [] : [item],
    ),
    state: isFull ? { page: page + 1, before: ids } : { page, known: ids, before },
    hasMore: isFull,
    rejected,
    read: readIds,
  };
}
