import { z } from "zod";
import { readEach } from "./items.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import type { Timestamp } from "#platform/time.ts";
import { TimestampInput } from "#platform/validation.ts";

/** The page of a list to request. */
export interface NewestPlace {
  /** The earliest time of the objects, inclusive; undefined for all objects. */
  readonly since: Timestamp | undefined;
  /** The cursor that the previous page gave; undefined for the first page. */
  readonly cursor: string | undefined;
  readonly pageSize: number;
}

export interface NewestPage {
  readonly values: readonly unknown[];
  /** The cursor of the next page; undefined on the last page. If it is the cursor of this page, the next run requests this page again. */
  readonly next: string | undefined;
}

/** An object of a list, with the id and time by which known objects are recognised. */
export interface Dated<Item> {
  readonly id: string;
  readonly time: Timestamp;
  /** The item; undefined for an object that is left out. */
  readonly item: Item | undefined;
}

export interface NewestList<Item> {
  readonly readPage: (place: NewestPlace) => Promise<NewestPage>;
  readonly read: (value: unknown) => Dated<Item>;
}

/**
 * How far a list was read that has its newest object first and can be requested from a time on:
 *
 *     page 1        page 2        page 3
 *     newest ─────────────────────► since      the next pass begins at the newest object of this pass
 *
 * A pass reads page by page, from the newest object to the oldest one that is not older than `since`. Objects that are added meanwhile move
 * others to later pages, and hide none. The next pass begins at the time of the newest object of this pass, inclusively; known objects of that
 * time are left out.
 */
const State = z.object({
  /** The earliest time of the objects of this pass; absent before the first pass has ended. */
  since: TimestampInput.optional(),
  /** The known objects of the time `since`. */
  known: z.array(z.string()).default([]),
  /** The cursor of the next page of the pass; absent for the first page. */
  cursor: z.string().optional(),
  /** The time of the newest object of the pass, and the objects of that time. */
  latest: TimestampInput.optional(),
  latestKnown: z.array(z.string()).default([]),
});
type State = z.output<typeof State>;

/** Most objects of one time that are remembered. Further objects are given again by the next pass, which does no harm. */
const KNOWN_MAX = 1000;

/** One page of a list that has its newest object first. */
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

/** The state at the beginning of the next pass. */
function endPass({ since, known, latest, latestKnown }: State): State {
  const isLater = latest !== undefined && (since === undefined || latest >= since);
  return isLater
    ? { since: latest, known: latestKnown, latestKnown: [] }
    : { since, known, latestKnown: [] };
}
