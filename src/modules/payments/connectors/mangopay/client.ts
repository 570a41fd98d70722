import { z } from "zod";
import type { MangopayConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { log } from "#platform/log.ts";

/** The metadata of bank accounts. */
export const SPEC = new kit.SpecMetadata("com.mangopay.spec/");

/** The currencies of wallets. Amounts are in minor units. */
export const CURRENCIES = new kit.Currencies({
  known: "AED AUD CAD CHF CZK DKK EUR GBP HKD JPY NOK PLN SEK USD ZAR".split(" "),
});

export const Funds = z.object({ Currency: kit.Text, Amount: kit.Amount });

/** An amount in a supported currency; undefined and logged for another currency. */
export function amountOf(
  { Currency: currency, Amount: units }: z.output<typeof Funds>,
  id: string,
): kit.ProviderAmount | undefined {
  const amount = CURRENCIES.fromUnits(units, currency);
  if (amount === undefined) {
    const why = "an item in a currency that is not supported is left out";
    log("info", why, { provider: "mangopay", id, currency });
  }
  return amount;
}

const Values = z.array(z.unknown());
const Identified = z.object({ Id: kit.Text });

/** The API of Mangopay, version 2.01, for one client of it. All methods throw `ConnectorError`. */
export class MangopayClient {
  readonly #api: kit.ApiClient;
  readonly #client: string;

  constructor({ fetch, clock }: Pick<kit.PluginPorts, "fetch" | "clock">, config: MangopayConfig) {
    this.#client = `/${encodeURIComponent(config.clientID)}`;
    this.#api = new kit.TokenApiClient(fetch, {
      baseUrl: `${config.endpoint.replace(/\/+$/, "")}/v2.01`,
      clock,
      logIn: (api) => logIn(api, config),
      headersOf: (token) => ({ authorization: `Bearer ${token}` }),
    });
  }

  /** A page of a list, in the order of creation. */
  list(
    path: string,
    {
      page,
      pageSize,
      ...query
    }: { page: number; pageSize: number } & NonNullable<kit.ApiCall["query"]>,
  ): Promise<readonly unknown[]> {
    const asked = { page, per_page: pageSize, Sort: "CreationDate:ASC", ...query };
    return this.#api.read({ path: `${this.#client}${path}`, query: asked }, Values, "a list");
  }

  /** The next page of a list that grows only at its end. */
  fetchList<Item>(
    path: string,
    request: kit.FetchRequest,
    read: (value: unknown) => Item | undefined,
  ): Promise<kit.FetchPage<Item>> {
    return kit.fetchGrowingList(request, {
      readPage: (place) => this.list(path, place),
      read: (value) => ({
        id: kit.parseObject(Identified, value, "an object").Id,
        item: read(value),
      }),
    });
  }

  /** An object below the client; undefined if the provider has no such object. */
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

  /** Creates an object. For a day, the provider answers a known key with the object that it has created under it. */
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

async function logIn(
  api: kit.ApiClient,
  { clientID, apiKey }: MangopayConfig,
): Promise<kit.AccessToken> {
  const call = {
    method: "POST",
    path: "/oauth/token",
    headers: { authorization: kit.basicAuth(clientID, apiKey) },
    form: { grant_type: "client_credentials" },
    isRead: true,
  } as const;
  return api.read(call, kit.OAuthToken, "a token");
}
