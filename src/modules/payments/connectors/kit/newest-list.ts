import { z } from "zod";
import { readEach } from "./items.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import type { Timestamp } from "#platform/time.ts";
import { TimestampInput } from "#platform/validation.ts";

/** Which page of a list is asked for. */
export interface NewestPlace {
  /** From when on objects are wanted, that time included; absent for all. */
  readonly since: Timestamp | undefined;
  /** What the page before has named as the next one; absent for the first page. */
  readonly cursor: string | undefined;
  readonly pageSize: number;
}

export interface NewestPage {
  readonly values: readonly unknown[];
  /** Where the next page begins; undefined for the last one. A page that names itself is asked for again by the next run. */
  readonly next: string | undefined;
}

/** An object of a list, with what tells whether it is known. */
export interface Dated<Item> {
  readonly id: string;
  readonly time: Timestamp;
  /** Undefined for an object that is left out. */
  readonly item: Item | undefined;
}

export interface NewestList<Item> {
  readonly readPage: (place: NewestPlace) => Promise<NewestPage>;
  readonly read: (value: unknown) => Dated<Item>;
}

/**
 * How far a list was read that has its newest object first and can be asked for what was made since some time. A pass goes from the newest
 * object to the oldest one that is asked for, page by page: what is added meanwhile moves others to later pages and hides none. When it has
 * ended, the next one asks for what was made since its newest object. What was made at the same time comes again, and what is known of it
 * is left out.
 */
const State = z.object({
  /** From when on objects are asked for; absent before the first pass has ended. */
  since: TimestampInput.optional(),
  /** The objects of that time that are known. */
  known: z.array(z.string()).default([]),
  /** Where the next page of the pass begins; absent for the first one. */
  cursor: z.string().optional(),
  /** The time of the newest object of the pass, and the objects of that time. */
  latest: TimestampInput.optional(),
  latestKnown: z.array(z.string()).default([]),
});
type State = z.output<typeof State>;

/** Beyond so many objects of one time, further ones are not remembered: they come again, which does no harm. */
const KNOWN_MAX = 1000;

/** One page of such a list. */
export async function fetchNewestList<Item>(
  { state: stored, pageSize }: Pick<FetchRequest, "state" | "pageSize">,
  { readPage, read }: NewestList<Item>,
): Promise<FetchPage<Item>> {
  const state = State.parse(stored ?? {});
  const { since, known, cursor } = state;
  const { values, next } = await readPage({ since, cursor, pageSize });
  const { items: dated, rejected, read: readIds } = readEach(values, read);
  const seen = withItems(state, dated);
  return {
    items: dated.flatMap(({ id, item }) => (item === undefined || known.includes(id) ? [] : item)),
    state: next === undefined ? endPass(seen) : { ...seen, cursor: next },
    hasMore: next !== undefined && next !== cursor,
    rejected,
    read: readIds,
  };
}

function withItems(state: State, dated: readonly Dated<unknown>[]): State {
  let { latest, latestKnown } = state;
  for (const { id, time } of dated) {
    if (latest === undefined || time > latest) [latest, latestKnown] = [time, []];
    const isNoted = time === latest && latestKnown.length < KNOWN_MAX && !latestKnown.includes(id);
    if (isNoted) latestKnown = [...latestKnown, id];
  }
  return { ...state, latest, latestKnown };
}

/** What the next pass begins with. */
function endPass({ since, known, latest, latestKnown }: State): State {
  const isLater = latest !== undefined && (since === undefined || latest >= since);
  return isLater
    ? { since: latest, known: latestKnown, latestKnown: [] }
    : { since, known, latestKnown: [] };
}
