import { toBalances } from "./provider-objects.ts";
import type {
  FetchPage,
  FetchRequest,
  ProviderFetch,
} from "#modules/payments/connectors/contract.ts";
import { assertFound, parseAnswer, parseList } from "#modules/payments/connectors/kit/http.ts";
import { onlyPage, requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import {
  fetchTimeList,
  type Listed,
  secondOf,
  type TimeListPlace,
} from "#modules/payments/connectors/kit/time-list.ts";
import type { ProviderBalance } from "#modules/payments/connectors/provider-objects.ts";

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

/** One page of a list. */
export const fetchPage = <Item>(
  provider: GenericProvider,
  request: FetchRequest,
  list: ItemList<Item>,
): Promise<FetchPage<Item>> =>
  fetchTimeList(request, {
    readPage: (place) => readPage(provider, list, place),
    read: list.read,
  });

async function readPage(
  { fetch, endpoint, apiKey }: GenericProvider,
  { path, time }: Pick<ItemList<unknown>, "path" | "time">,
  { from, page, pageSize }: TimeListPlace,
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

/** The balances of one account. An account without any, or that the provider does not know any more, has none. */
export async function fetchBalances(
  { fetch, endpoint, apiKey }: GenericProvider,
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const { reference } = requireAccount(parent, "balances");
  const response = await fetch({
    method: "GET",
    url: `${endpoint}/accounts/${encodeURIComponent(reference)}/balances`,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const items = response.status === 404 ? [] : toBalances(parseAnswer(response));
  return onlyPage(items);
}
