import { createHash } from "node:crypto";
import { z } from "zod";
import { readEach } from "./items.ts";
import { refused } from "./orders.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { TimestampInput } from "#platform/validation.ts";

/** An item of a list, with what tells whether it is known. */
export interface Listed<Item> {
  readonly item: Item;
  /** What the list is ordered by. */
  readonly time: Timestamp;
  /** Equal for two reports of the same state of the same item. */
  readonly identity: string;
}

/** Which page of a list is asked for. */
export interface TimeListPlace {
  /** The time from which on items are wanted, that one included; absent for all. */
  readonly from?: Timestamp;
  /** Begins at one. */
  readonly page: number;
  readonly pageSize: number;
}

/** A list in pages, which can be asked for what has a time since some second. */
export interface TimeList<Item> {
  /** The values of a page, as the provider has sent them. */
  readonly readPage: (place: TimeListPlace) => Promise<readonly unknown[]>;
  /** Undefined for a value that is left out. */
  readonly read: (value: unknown) => Listed<Item> | undefined;
}

/**
 * How far a list was read. A pass asks for all pages from one time on, until one is empty or brings nothing new; only then
 * the time moves, so that the order in which items come makes no difference. The time is inclusive: items of its second come
 * again, and those that are known are left out.
 *
 * An item that changes while pages are read moves to the end of the list, and shifts others to pages that were read before:
 *
 *     page 1   page 2            page 1   page 2
 *     a b      c d      a is     b c      d a      page 2 is read now: c, which is on page 1, was on no page that was read
 *                       changed
 *
 * Therefore a pass of several pages is repeated once before the time moves, unless all that it has brought is older than the pass: then
 * nothing has changed meanwhile.
 */
const State = z.object({
  /** From when on items are asked for; absent before the first pass has ended. */
  from: TimestampInput.optional(),
  /** Identities of items in the second of `from`. */
  known: z.array(z.string()).default([]),
  /** The page to ask for next. */
  page: z.int().min(1).default(1),
  /** The latest time in this pass, and the identities of items in its second. */
  latest: TimestampInput.optional(),
  latestKnown: z.array(z.string()).default([]),
  /** When the first page of this pass was asked for, by the clock of this server; absent where that is not known. */
  begunAt: TimestampInput.optional(),
  /** Whether this pass repeats the one before. */
  isRepetition: z.boolean().default(false),
  /** What the page before was, whatever the order of its items, and how often the page has come like it. */
  digest: z.string().default(""),
  repeats: z.int().default(0),
});
type State = z.output<typeof State>;

/** Beyond so many items of one second, further ones are not remembered: they come again, which does no harm. */
const KNOWN_MAX = 1000;
/** A page that is answered with the items of the one before is asked for so often again: the list may have no end. */
const REPEATS_MAX = 5;

/** One page of a list. */
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

/** The second of a time, as providers take it. */
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

/** The page to ask for next. The same one, if the provider has answered with the items of the page before. */
function nextPage({ page, digest, repeats }: State, values: readonly unknown[]) {
  const texts = values.map((value) => stringifyJson(value)).toSorted();
  const made = createHash("sha256").update(texts.join("\n")).digest("base64url");
  if (made !== digest) return { page: page + 1, digest: made, repeats: 0 };
  if (repeats < REPEATS_MAX) return { repeats: repeats + 1 };
  throw refused(`the provider answers page ${page} like the one before`);
}

/** How far the clock of a provider may be behind that of this server, in milliseconds. */
const CLOCK_SKEW_MS_MAX = 120_000;

/** Whether an item may have changed since the pass has begun: it would have moved to its end, and be newer than all others. */
const mayHaveShifted = ({ begunAt, latest }: State): boolean =>
  begunAt === undefined ||
  latest === undefined ||
  latest >= fromMillis(toMillis(begunAt) - CLOCK_SKEW_MS_MAX);

/** What the next pass begins with. */
function endPass(state: State): State {
  const { from, known, page, latest, latestKnown, isRepetition } = state;
  const begin = { page: 1, latestKnown: [], digest: "", repeats: 0, latest: undefined };
  // The last page of a pass brings nothing; what brings something stands on those before.
  const hasSeveralPages = page > 2;
  if (hasSeveralPages && !isRepetition && mayHaveShifted(state))
    return { ...begin, from, known, isRepetition: true };
  // A provider whose clock steps back, or that answers nothing, moves nothing back.
  const isLater = latest !== undefined && (from === undefined || latest >= from);
  const moved = isLater ? { from: latest, known: latestKnown } : { from, known };
  return { ...begin, ...moved, isRepetition: false };
}
