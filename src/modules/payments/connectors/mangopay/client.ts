import { z } from "zod";
import type { MangopayConfig } from "./config.ts";
import type {
  FetchPage,
  FetchRequest,
  ProviderFetch,
} from "#modules/payments/connectors/contract.ts";
import type { ApiCall, ApiClient } from "#modules/payments/connectors/kit/client.ts";
import { Currencies, type ProviderAmount } from "#modules/payments/connectors/kit/currencies.ts";
import { fetchGrowingList } from "#modules/payments/connectors/kit/growing-list.ts";
import { Amount, parseObject, Text } from "#modules/payments/connectors/kit/objects.ts";
import { basicAuth } from "#modules/payments/connectors/kit/signatures.ts";
import { type AccessToken, TokenApiClient } from "#modules/payments/connectors/kit/token-client.ts";
import { log } from "#platform/log.ts";
import type { Clock } from "#platform/time.ts";

/** What users add to the metadata of bank accounts begins so. */
export const PREFIX = "com.mangopay.spec/";

/** The currencies of wallets. Amounts are in minor units. */
export const CURRENCIES = new Currencies({
  known: "AED AUD CAD CHF CZK DKK EUR GBP HKD JPY NOK PLN SEK USD ZAR".split(" "),
});

export const Funds = z.object({ Currency: Text, Amount });

/** An amount in a supported currency; undefined, with a line in the log, for another one. */
export function amountOf(
  { Currency: currency, Amount: units }: z.output<typeof Funds>,
  id: string,
): ProviderAmount | undefined {
  const amount = CURRENCIES.fromUnits(units, currency);
  if (amount === undefined) {
    const why = "an item in a currency that is not supported is left out";
    log("info", why, { provider: "mangopay", id, currency });
  }
  return amount;
}

const Token = z.object({ access_token: Text, expires_in: z.number() });
const Values = z.array(z.unknown());
const Identified = z.object({ Id: Text });

/** The API of Mangopay, version 2.01, for one client of it. All methods throw `ConnectorError`. */
export class MangopayClient {
  readonly #api: ApiClient;
  readonly #client: string;

  constructor(
    { fetch, clock }: { readonly fetch: ProviderFetch; readonly clock: Clock },
    config: MangopayConfig,
  ) {
    this.#client = `/${encodeURIComponent(config.clientId)}`;
    this.#api = new TokenApiClient(fetch, {
      baseUrl: `${config.endpoint.replace(/\/+$/, "")}/v2.01`,
      clock,
      logIn: (api) => logIn(api, config),
      headersOf: (token) => ({ authorization: `Bearer ${token}` }),
    });
  }

  /** A page of a list, in the order in which its objects were made. */
  list(
    path: string,
    {
      page,
      pageSize,
      ...query
    }: { page: number; pageSize: number } & NonNullable<ApiCall["query"]>,
  ): Promise<readonly unknown[]> {
    const asked = { page, per_page: pageSize, Sort: "CreationDate:ASC", ...query };
    return this.#api.read({ path: `${this.#client}${path}`, query: asked }, Values, "a list");
  }

  /** The next page of a list that only grows. */
  fetchList<Item>(
    path: string,
    request: FetchRequest,
    read: (value: unknown) => Item | undefined,
  ): Promise<FetchPage<Item>> {
    return fetchGrowingList(request, {
      readPage: (place) => this.list(path, place),
      read: (value) => ({ id: parseObject(Identified, value, "an object").Id, item: read(value) }),
    });
  }

  /** Undefined where the provider has no such object. */
  find<S extends z.ZodType>(
    path: string,
    schema: S,
    what: string,
  ): Promise<z.output<S> | undefined> {
    return this.#api.find({ path: `${this.#client}${path}` }, schema, what);
  }

  read(path: string, what: string): Promise<unknown> {
    return this.#api.read({ path: `${this.#client}${path}` }, z.unknown(), what);
  }

  /** Makes an object. For a day, the provider answers a key that it knows with what it has made under it. */
  create(path: string, json: object, key?: string): Promise<unknown> {
    const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
    const call = { method: "POST", path: `${this.#client}${path}`, json, headers } as const;
    return this.#api.read(call, z.unknown(), "what was made");
  }

  async update(path: string, json: object): Promise<void> {
    const call = { method: "PUT", path: `${this.#client}${path}`, json } as const;
    await this.#api.read(call, z.unknown(), "what was changed");
  }
}

async function logIn(api: ApiClient, { clientId, apiKey }: MangopayConfig): Promise<AccessToken> {
  const call = {
    method: "POST",
    path: "/oauth/token",
    headers: { authorization: basicAuth(clientId, apiKey) },
    form: { grant_type: "client_credentials" },
    isRead: true,
  } as const;
  const { access_token: token, expires_in: seconds } = await api.read(call, Token, "a token");
  return { token, lifetimeMs: seconds * 1000 };
}
