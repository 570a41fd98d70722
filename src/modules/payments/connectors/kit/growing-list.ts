import { z } from "zod";
import { readEach } from "./items.ts";
import { refused } from "./orders.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";

/**
 * How far a list was read that only grows at its end, and that is given in numbered pages. The last page is asked for again by the next run,
 * as it may have more items then; those that are known are left out.
 */
const State = z.object({
  /** The page to ask for next. */
  page: z.int().min(1).default(1),
  /** Which items of it are known. */
  known: z.array(z.string()).default([]),
  /** The items of the page before, and how often this one has come like it. */
  before: z.array(z.string()).default([]),
  repeats: z.int().default(0),
});

/** A page that is answered with the items of the one before is asked for so often again: the list may have no end. */
const REPEATS_MAX = 5;

export interface GrowingList<Item> {
  /** The values of a page, as the provider has sent them. Pages begin at one. */
  readonly readPage: (place: { page: number; pageSize: number }) => Promise<readonly unknown[]>;
  /** The item is undefined for a value that is left out. */
  readonly read: (value: unknown) => { readonly id: string; readonly item: Item | undefined };
}

/** One page of such a list. */
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
