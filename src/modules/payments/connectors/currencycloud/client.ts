import { z } from "zod";
import type { CurrencycloudConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The currencies of the provider's balances that ISO 4217 contains. */
export const CURRENCIES = new kit.Currencies({
  known:
    "AED AUD CAD CHF CZK DKK EUR GBP HKD IDR ILS INR JPY KES MXN MYR NOK NZD PHP PLN QAR RON SAR SEK SGD THB TRY UGX USD ZAR".split(
      " ",
    ),
});

export const skipCurrency = kit.currencySkipper("currencycloud");

/** A page of a list. The first page has the number 1. */
export interface CurrencycloudPage {
  readonly values: readonly unknown[];
  /** The number of the next page; undefined on the last page. */
  readonly next: number | undefined;
}

const Login = z.object({ auth_token: kit.Text });
const Pagination = z.object({ next_page: z.int() });

/** The lists, with the method that searches each of them. */
const LISTS = {
  accounts: "POST",
  beneficiaries: "POST",
  balances: "GET",
  transactions: "GET",
} as const;

/** The kinds of objects that are created, by their paths. */
export type Creation = "transfers" | "payments";

/** The API of Currencycloud, version 2. All methods throw `ConnectorError`. */
export class CurrencycloudClient {
  readonly #api: kit.TokenApiClient;

  constructor(
    { fetch, clock }: Pick<kit.PluginPorts, "fetch" | "clock">,
    { loginID, apiKey, endpoint }: CurrencycloudConfig,
  ) {
    this.#api = new kit.TokenApiClient(fetch, {
      baseUrl: endpoint,
      clock,
      logIn: async (api) => {
        const form = { login_id: loginID, api_key: apiKey };
        const call = { method: "POST", path: "/v2/authenticate/api", form, isRead: true } as const;
        return { token: (await api.read(call, Login, "the answer to a login")).auth_token };
      },
      headersOf: (token) => ({ "x-auth-token": token }),
    });
  }

  async list(
    name: keyof typeof LISTS,
    query: NonNullable<kit.ApiCall["query"]>,
  ): Promise<CurrencycloudPage> {
    const call = { method: LISTS[name], path: `/v2/${name}/find`, query, isRead: true };
    const schema = z.object({ [name]: z.array(z.unknown()), pagination: Pagination });
    const answer = await this.#api.read(call, schema, `a page of ${name}`);
    const next = Pagination.parse(answer.pagination).next_page;
    return { values: z.array(z.unknown()).parse(answer[name]), next: next < 1 ? undefined : next };
  }

  /** Creates an object once for each id of a request. The provider refuses a known id; then the existing object is looked up. */
  async create(what: Creation, form: NonNullable<kit.ApiCall["form"]>): Promise<unknown> {
    const call = { method: "POST", path: `/v2/${what}/create`, form } as const;
    try {
      return await this.#api.read(call, z.unknown(), `an answer about ${what}`);
    } catch (error) {
      const isKnown = error instanceof kit.ConnectorError && error.message.includes(REQUEST_ID);
      const made =
        isKnown && error.kind === "invalid"
          ? await this.findMade(what, String(form[REQUEST_ID]))
          : undefined;
      if (made === undefined) throw error;
      return made;
    }
  }

  /** The object that was made for the id of a request; undefined for none. Throws `ConnectorError` for an answer about other requests. */
  async findMade(what: Creation, id: string): Promise<unknown> {
    const query = { [REQUEST_ID]: id };
    const schema = z.object({ [what]: z.array(z.unknown()) });
    const answer = await this.#api.read({ path: `/v2/${what}/find`, query }, schema, what);
    const [made] = answer[what] ?? [];
    const shown = requestIdOf(made) ?? id;
    if (shown !== id) throw kit.outcomeUnknown(`the answer about ${what} is about another request`);
    return made;
  }
}

/** The id of the request that has made an object; undefined if the object does not show one. */
export const requestIdOf = (made: unknown): string | undefined =>
  Requested.safeParse(made).data?.[REQUEST_ID];

const Requested = z.object({ unique_request_id: kit.OptionalText });

/** The field with the id of a request. The provider's error for a known id contains the name of the field. */
export const REQUEST_ID = "unique_request_id";
