import { createHash } from "node:crypto";
import { z } from "zod";
import { readEach } from "./items.ts";
import { refused } from "./orders.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { TimestampInput } from "#platform/validation.ts";

/** An item of a list, with the time and identity by which known items are recognised. */
export interface Listed<Item> {
  readonly item: Item;
  /** The time by which the list is filtered. */
  readonly time: Timestamp;
  /** Equal for two reports of the same state of the same item. */
  readonly identity: string;
}

/** The page of a list to request. */
export interface TimeListPlace {
  /** The earliest time of the items, inclusive; absent for all items. */
  readonly from?: Timestamp;
  /** The number of the page; the first page is one. */
  readonly page: number;
  readonly pageSize: number;
}

/** A list in numbered pages, which can be requested from a second on. */
export interface TimeList<Item> {
  /** The values of a page as the provider has sent them. */
  readonly readPage: (place: TimeListPlace) => Promise<readonly unknown[]>;
  /** Reads a value; undefined for a value that is left out. */
  readonly read: (value: unknown) => Listed<Item> | undefined;
}

/**
 * How far a list was read that can be requested from a time on. A pass requests all pages from one time on, until a page is empty or has
 * nothing new. Only then the time moves, so that the order of the items does not matter. The time is inclusive: items of its second come again,
 * and known items are left out.
 *
 * An item that changes while pages are read moves to the end of the list, and shifts other items to pages that were read before:
 *
 *     page 1   page 2              page 1   page 2
 *     a b      c d      a changes  b c      d a      the pass has read page 1 before, and page 2 now: it has missed c
 *
 * Therefore a pass of several pages is repeated once before the time moves, unless all of its items are older than the pass: then nothing has
 * changed meanwhile.
 */
const State = z.object({
  /** The earliest time of the items of this pass; absent before the first pass has ended. */
  from: TimestampInput.optional(),
  /** Identities of items in the second of `from`. */
  known: z.array(z.string()).default([]),
  /** The page to request next. */
  page: z.int().min(1).default(1),
  /** The latest time in this pass, and the identities of items in its second. */
  latest: TimestampInput.optional(),
  latestKnown: z.array(z.string()).default([]),
  /** The time of the request for the first page of this pass, by the clock of this server; absent if the caller did not give it. */
  begunAt: TimestampInput.optional(),
  /** Whether this pass repeats the previous one. */
  isRepetition: z.boolean().default(false),
  /** A digest of the values of the previous page in any order, and how often this page has had the same values. */
  digest: z.string().default(""),
  repeats: z.int().default(0),
});
type State = z.output<typeof State>;

/** Most items of one second that are remembered. Further items are given again by the next pass, which does no harm. */
const KNOWN_MAX = 1000;
/** How often a page that has the values of the previous page is requested again. Beyond, the provider may repeat its last page for ever. */
const REPEATS_MAX = 5;

/** One page of a list that can be requested from a time on. */
export async function fetchTimeList<Item>(
  request: FetchRequest,
  { readPage, read }: TimeList<Item>,
): Promise<FetchPage<Item>> {
  const { pageSize, now } = request;
  const stored = State.parse(request.state ?? {});
  const { from, page } = stored;
  const state = page === 1 ? { ...stored, begunAt: now } : stored;
  const values = await readPage({ page, pageSize, ...(from === undefined ? {} : { from }) });
  const { items: listed, rejected, read: readIds } = readEach(values, read);
  const known = new Set(state.known);
  const fresh = listed.filter(({ identity }) => !known.has(identity));
  const seen = withItems(state, listed);
  const isFull = values.length >= pageSize;
  const isEnd = values.length === 0 || (!isFull && fresh.length === 0);
  const next = isEnd ? endPass(seen) : { ...seen, ...nextPage(state, values) };
  return {
    items: fresh.map(({ item }) => item),
    state: next,
    hasMore: !isEnd || next.isRepetition,
    rejected,
    read: readIds,
  };
}

/** A time in whole seconds, as RFC 3339. */
export const secondOf = (time: Timestamp): string => `${time.slice(0, 19)}Z`;

function withItems(state: State, items: readonly Listed<unknown>[]): State {
  let { latest, latestKnown } = state;
  for (const { time, identity } of items) {
    if (latest === undefined || secondOf(time) > secondOf(latest)) latestKnown = [];
    if (latest === undefined || time > latest) latest = time;
    const isOfLatest = secondOf(time) === secondOf(latest);
    if (isOfLatest && latestKnown.length < KNOWN_MAX && !latestKnown.includes(identity)) {
      latestKnown = [...latestKnown, identity];
    }
  }
  return { ...state, latest, latestKnown };
}

/**
 * The page to request next: the same page again, if it has the values of the previous page. Throws `ConnectorError` after too many
 * repetitions.
 */
function nextPage({ page, digest, repeats }: State, values: readonly unknown[]) {
  const texts = values.map((value) => stringifyJson(value)).toSorted();
  const made = createHash("sha256").update(texts.join("\n")).digest("base64url");
  if (made !== digest) return { page: page + 1, digest: made, repeats: 0 };
  if (repeats < REPEATS_MAX) return { repeats: repeats + 1 };
  throw refused(`the provider answers page ${page} like the one before`);
}

/** How far the clock of a provider may be behind the clock of this server, in milliseconds. */
const CLOCK_SKEW_MS_MAX = 120_000;

/**
 * Whether an item may have changed since the pass began: a changed item is at the end of the list, with a time after the beginning of the
 * pass.
 */
const mayHaveShifted = ({ begunAt, latest }: State): boolean =>
  begunAt === undefined ||
  latest === undefined ||
  latest >= fromMillis(toMillis(begunAt) - CLOCK_SKEW_MS_MAX);

/** The state at the beginning of the next pass. */
function endPass(state: State): State {
  const { from, known, page, latest, latestKnown, isRepetition } = state;
  const begin = { page: 1, latestKnown: [], digest: "", repeats: 0, latest: undefined };
  // The last page of a pass has no new items: its items are on the pages before.
  const hasSeveralPages = page > 2;
  if (hasSeveralPages && !isRepetition && mayHaveShifted(state))
    return { ...begin, from, known, isRepetition: true };
  // The time never moves back, even if the clock of the provider does, or if the provider lists nothing.
  const isLater = latest !== undefined && (from === undefined || latest >= from);
  const moved = isLater ? { from: latest, known: latestKnown } : { from, known };
  return { ...begin, ...moved, isRepetition: false };
}
