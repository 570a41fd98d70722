import { toBalances } from "./provider-objects.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export interface GenericProvider {
  readonly fetch: kit.ProviderFetch;
  /** The base URL of the API, without a slash at its end. */
  readonly endpoint: string;
  readonly apiKey: string;
}

/** A list of the provider, which can be requested from a second on. */
export interface ItemList<Item> {
  readonly path: string;
  readonly time: "createdAt" | "updatedAt";
  readonly read: (value: unknown) => kit.Listed<Item>;
}

export const fetchPage = <Item>(
  provider: GenericProvider,
  request: kit.FetchRequest,
  list: ItemList<Item>,
): Promise<kit.FetchPage<Item>> =>
  kit.fetchTimeList(request, {
    readPage: (place) => readPage(provider, list, place),
    read: list.read,
  });

async function readPage(
  { fetch, endpoint, apiKey }: GenericProvider,
  { path, time }: Pick<ItemList<unknown>, "path" | "time">,
  { from, page, pageSize }: kit.TimeListPlace,
): Promise<readonly unknown[]> {
  const query = new URLSearchParams({
    page: String(page),
    pageSize: String(pageSize),
    sort: `${time}:asc`,
    ...(from === undefined ? {} : { [`${time}From`]: kit.secondOf(from) }),
  });
  const response = await fetch({
    method: "GET",
    url: `${endpoint}/${path}?${query.toString()}`,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  kit.assertFound(response);
  return kit.parseList(response);
}

/** The balances of one account; none for an account that the provider does not know any more. */
export async function fetchBalances(
  { fetch, endpoint, apiKey }: GenericProvider,
  { parent }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const { reference } = kit.requireAccount(parent, "balances");
  const response = await fetch({
    method: "GET",
    url: `${endpoint}/accounts/${encodeURIComponent(reference)}/balances`,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const items = response.status === 404 ? [] : toBalances(kit.parseAnswer(response));
  return kit.onlyPage(items);
}
