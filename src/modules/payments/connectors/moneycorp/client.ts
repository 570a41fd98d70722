import { z } from "zod";
import type { MoneycorpConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The currencies that the provider trades in and that ISO 4217 contains. */
export const CURRENCIES = new kit.Currencies({
  known:
    "AED AUD BBD BGN BHD BWP CAD CHF CZK DKK EUR GBP GHS HKD ILS INR JMD JPY KES LKR MAD MUR MXN MYR NOK NZD OMR PHP PKR PLN QAR RON SAR SEK SGD THB TRY TTD TZS UGX USD XCD XOF ZAR ZMW".split(
      " ",
    ),
});

export const skipCurrency = kit.currencySkipper("moneycorp");

/** A time of the provider, in UTC if it has no zone. */
export const MoneycorpTime = z
  .string()
  .transform((text) => (/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`))
  .pipe(kit.Date3339);

/** An object in the form of JSON:API. */
export const MoneycorpResource = z.looseObject({ id: kit.Id, attributes: z.looseObject({}) });
export type MoneycorpResource = z.output<typeof MoneycorpResource>;

const Login = z.object({ data: z.object({ accessToken: kit.Text, expiresIn: z.coerce.number() }) });
const List = z.object({ data: z.array(z.unknown()) });
const Single = z.object({ data: MoneycorpResource });

export interface MoneycorpPage {
  /** The number of the page; the first page is 0. */
  readonly page: number;
  readonly pageSize: number;
  readonly sortBy: string;
}

/** Longest reference that is sent unchanged as an idempotency key, in characters. */
const KEY_LENGTH_MAX = 255;

/** The API of Moneycorp, which uses JSON:API and answers 404 for an empty list. All methods throw `ConnectorError`. */
export class MoneycorpClient {
  readonly #api: kit.TokenApiClient;

  constructor(
    { fetch, clock }: Pick<kit.PluginPorts, "fetch" | "clock">,
    { clientID, apiKey, endpoint }: MoneycorpConfig,
  ) {
    this.#api = new kit.TokenApiClient(fetch, {
      baseUrl: endpoint,
      clock,
      logIn: async (api) => {
        const json = { loginId: clientID, apiKey };
        const call = { method: "POST", path: "/login", json, isRead: true } as const;
        const { data } = await api.read(call, Login, "the answer to a login");
        return { token: data.accessToken, lifetimeMs: data.expiresIn * 1000 };
      },
      headersOf: (token) => ({ authorization: `Bearer ${token}` }),
    });
  }

  /** A page of a list, or all of a list that has no pages. */
  async list(path: string, page?: MoneycorpPage): Promise<readonly unknown[]> {
    return this.#readList({ path, ...queryOf(page) });
  }

  /** A page of the results of a search. */
  search(path: string, page: MoneycorpPage, attributes: object): Promise<readonly unknown[]> {
    const json = { data: { attributes } };
    return this.#readList({ method: "POST", path, ...queryOf(page), json, isRead: true });
  }

  async #readList(call: kit.ApiCall): Promise<readonly unknown[]> {
    return (await this.#api.find(call, List, "a list"))?.data ?? [];
  }

  /** An object; undefined if the provider has no such object. */
  async find(path: string): Promise<MoneycorpResource | undefined> {
    return (await this.#api.find({ path }, Single, "an object"))?.data;
  }

  /** Creates an object once for each reference. Returns the unparsed answer. */
  create(path: string, attributes: object, reference: string): Promise<unknown> {
    const headers = { "idempotency-key": kit.headerKey(reference, KEY_LENGTH_MAX) };
    const call = { method: "POST", path, json: { data: { attributes } }, headers } as const;
    return this.#api.read(call, z.unknown(), "what was made");
  }
}

/** The answer to a creation. */
export const Created = Single;

function queryOf(page: MoneycorpPage | undefined): Pick<kit.ApiCall, "query"> {
  if (page === undefined) return {};
  const { page: number, pageSize, sortBy } = page;
  return { query: { "page[size]": pageSize, "page[number]": number, sortBy } };
}

export const accountPath = (id: string): string => `/accounts/${encodeURIComponent(id)}`;
