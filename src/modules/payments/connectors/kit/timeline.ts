import { z } from "zod";
import type { FetchPage } from "#modules/payments/connectors/contract.ts";
import type { RejectedItem } from "#modules/payments/connectors/provider-objects.ts";

/**
 * How far a list was read that has its newest item first:
 *
 *     newest ◄── 2. later runs ── first page ── 1. walk ──► oldest
 *
 * A walk reads from the newest item to the oldest one, each page after the last item of the previous page. After the walk, pages begin at the
 * newest known item and lead to newer ones, so that items which were added during the walk are found, too.
 */
const State = z.object({
  /** The newest item whose older items are all known; absent during the walk. */
  latest: z.string().optional(),
  /** The oldest item that the walk has reached. */
  cursor: z.string().optional(),
  /** The newest item of the walk. */
  newest: z.string().optional(),
});

/** A page of a list that has its newest item first. */
export interface TimelinePage<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** Values without an id, which have no place in the list. */
  readonly rejected?: readonly RejectedItem[];
}

/** The place of a page: at the newest item, after an item (older items follow), or before an item (the next newer items). */
export type TimelinePlace =
  | { readonly after?: string; readonly before?: undefined }
  | { readonly after?: undefined; readonly before: string };

export interface Timeline<Item> {
  /** Fetches a page of items that are older than `after`, or of the next items that are newer than `before`. */
  readonly list: (place: TimelinePlace) => Promise<TimelinePage<Item>>;
  readonly idOf: (item: Item) => string;
}

/**
 * The next page of a list that has its newest item first. During the walk, the newest item of a page is first; afterwards, the oldest one.
 */
export async function fetchTimeline<Item>(
  stored: unknown,
  { list, idOf }: Timeline<Item>,
): Promise<FetchPage<Item>> {
  const state = State.parse(stored ?? {});
  if (state.latest !== undefined) {
    const page = await list({ before: state.latest });
    const items = page.items.toReversed();
    const last = items.at(-1);
    const latest = last === undefined ? state.latest : idOf(last);
    const { rejected = [] } = page;
    return { items, rejected, state: { latest }, hasMore: page.hasMore && last !== undefined };
  }
  const {
    items,
    hasMore,
    rejected = [],
  } = await list(state.cursor === undefined ? {} : { after: state.cursor });
  const [first] = items;
  const last = items.at(-1);
  const newest = state.newest ?? (first === undefined ? undefined : idOf(first));
  if (hasMore && last !== undefined) {
    return { items, rejected, state: { cursor: idOf(last), newest }, hasMore: true };
  }
  return {
    items,
    rejected,
    state: newest === undefined ? undefined : { latest: newest },
    hasMore: false,
  };
}
