import { createHash } from "node:crypto";
import { z } from "zod";
import { type Listed, toBalances } from "./provider-objects.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  FetchPage,
  FetchRequest,
  ProviderFetch,
} from "#modules/payments/connectors/contract.ts";
import { assertFound, parseAnswer, parseList } from "#modules/payments/connectors/kit/http.ts";
import type { ProviderBalance } from "#modules/payments/connectors/provider-objects.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";
import { TimestampInput } from "#platform/validation.ts";

export interface GenericProvider {
  readonly fetch: ProviderFetch;
  /** Without a slash at its end. */
  readonly endpoint: string;
  readonly apiKey: string;
}

/** A list of the provider, which can be asked for what has a time since some second. */
export interface ItemList<Item> {
  readonly path: string;
  readonly time: "createdAt" | "updatedAt";
  readonly read: (value: unknown) => Listed<Item>;
}

/**
 * How far a list was read. A pass asks for all pages from one time on, until one is empty or brings nothing new; only then
 * the time moves, so that the order in which items come makes no difference. The time is inclusive: items of its second come
 * again, and those that are known are left out.
 *
 * Items that change while pages are read move to the end of the list and shift others to pages that were read before.
 * Therefore a pass of several pages is repeated once before the time moves.
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
export async function fetchPage<Item>(
  provider: GenericProvider,
  request: FetchRequest,
  list: ItemList<Item>,
): Promise<FetchPage<Item>> {
  const state = State.parse(request.state ?? {});
  const values = await readPage(provider, state, { ...list, pageSize: request.pageSize });
  const listed = values.map(list.read);
  const known = new Set(state.known);
  const fresh = listed.filter(({ identity }) => !known.has(identity));
  const seen = withItems(state, listed);
  const isFull = values.length >= request.pageSize;
  const isEnd = values.length === 0 || (!isFull && fresh.length === 0);
  const next = isEnd ? endPass(seen) : { ...seen, ...nextPage(state, values) };
  return {
    items: fresh.map(({ item }) => item),
    state: next,
    hasMore: !isEnd || next.isRepetition,
  };
}

async function readPage(
  { fetch, endpoint, apiKey }: GenericProvider,
  { from, page }: State,
  { path, time, pageSize }: { path: string; time: string; pageSize: number },
): Promise<readonly unknown[]> {
  const query = new URLSearchParams({
    page: String(page),
    pageSize: String(pageSize),
    sort: `${time}:asc`,
    ...(from === undefined ? {} : { [`${time}From`]: secondOf(from) }),
  });
  const response = await fetch({
    method: "GET",
    url: `${endpoint}/${path}?${query.toString()}`,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  assertFound(response);
  return parseList(response);
}

const secondOf = (time: Timestamp): string => `${time.slice(0, 19)}Z`;

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
  throw new ConnectorError("invalid", `the provider answers page ${page} like the one before`);
}

/** What the next pass begins with. */
function endPass({ from, known, page, latest, latestKnown, isRepetition }: State): State {
  const begin = { page: 1, latestKnown: [], digest: "", repeats: 0, latest: undefined };
  // The last page of a pass brings nothing; what brings something stands on those before.
  const hasSeveralPages = page > 2;
  if (hasSeveralPages && !isRepetition) return { ...begin, from, known, isRepetition: true };
  // A provider whose clock steps back, or that answers nothing, moves nothing back.
  const isLater = latest !== undefined && (from === undefined || latest >= from);
  const moved = isLater ? { from: latest, known: latestKnown } : { from, known };
  return { ...begin, ...moved, isRepetition: false };
}

/** The balances of one account. An account without any, or that the provider does not know any more, has none. */
export async function fetchBalances(
  { fetch, endpoint, apiKey }: GenericProvider,
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  if (parent === undefined) throw new ConnectorError("invalid", "balances belong to an account");
  const response = await fetch({
    method: "GET",
    url: `${endpoint}/accounts/${encodeURIComponent(parent.reference)}/balances`,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const items = response.status === 404 ? [] : toBalances(parseAnswer(response));
  return { items, state: undefined, hasMore: false };
}
