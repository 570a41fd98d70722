import { z } from "zod";
import type { FetchPage } from "#modules/payments/connectors/contract.ts";
import type { RejectedItem } from "#modules/payments/connectors/provider-objects.ts";

/**
 * How far a list was read that has its newest item first. At first it is walked from the newest to the oldest item, each page after the
 * last item of the one before. The newest item of that walk is where the second phase begins: then pages hold what is newer than the
 * latest known item, and what is added during a walk is found afterwards.
 */
const State = z.object({
  /** The newest item that all older ones are known of; absent during the walk. */
  latest: z.string().optional(),
  /** The oldest item that the walk has reached. */
  cursor: z.string().optional(),
  /** The newest item of the walk. */
  newest: z.string().optional(),
});

/** A page of a list, its newest item first. */
export interface TimelinePage<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** What has no id, and so no place in the list. */
  readonly rejected?: readonly RejectedItem[];
}

/** Which page of a list: the newest items, those older than one, or those next to one that are newer. */
export type TimelinePlace =
  | { readonly after?: string; readonly before?: undefined }
  | { readonly after?: undefined; readonly before: string };

export interface Timeline<Item> {
  /** Items older than `after`, or the next ones that are newer than `before`. */
  readonly list: (place: TimelinePlace) => Promise<TimelinePage<Item>>;
  readonly idOf: (item: Item) => string;
}

/** The next page of such a list: of the walk in its own order, and of what is newer with the oldest item first. */
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
