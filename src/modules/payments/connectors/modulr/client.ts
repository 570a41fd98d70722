import { createHmac } from "node:crypto";
import { z } from "zod";
import type { ModulrConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { newId } from "#platform/ids.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";

/** The currencies that the provider has accounts in. */
export const CURRENCIES = new kit.Currencies({
  known: "GBP EUR CZK DKK NOK PLN SEK CHF USD HKD JPY".split(" "),
});

export const skipCurrency = kit.currencySkipper("modulr");

/** A time such as `2026-01-28T01:01:01.000+0000`, whose zone has no colon. */
export const ModulrTime = z
  .string()
  .transform((text) => text.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"))
  .pipe(kit.Date3339);

/** A time in the provider's form, in whole seconds. */
const toModulrTime = (time: Timestamp): string => `${time.slice(0, 19)}+0000`;

const Page = z.object({
  content: z.array(z.unknown()),
  page: z.int().min(0),
  totalPages: z.int().min(0),
});

/** Endpoints that accept the API key alone. All other endpoints require signed requests. */
const TOKEN_ENDPOINT = /-token\/*$/;
/** Longest reference that is sent unchanged as a nonce, in characters. */
const NONCE_LENGTH_MAX = 128;

type ModulrPorts = Pick<kit.PluginPorts, "fetch" | "clock">;

/** The API of Modulr. All methods throw `ConnectorError`. */
export class ModulrClient {
  readonly #ports: ModulrPorts;
  readonly #config: ModulrConfig;

  constructor(ports: ModulrPorts, config: ModulrConfig) {
    this.#ports = ports;
    this.#config = config;
  }

  /** A page of a list. The first page has the number 0. */
  async list(
    path: string,
    query: NonNullable<kit.ApiCall["query"]>,
    since?: { readonly name: string; readonly time: Timestamp | undefined },
  ): Promise<z.output<typeof Page>> {
    const from = since?.time === undefined ? {} : { [since.name]: toModulrTime(since.time) };
    return this.#api(newId()).read({ path, query: { ...query, ...from } }, Page, "a list");
  }

  /** An object; undefined if the provider has no such object. */
  find<S extends z.ZodType>(
    path: string,
    schema: S,
    what: string,
  ): Promise<z.output<S> | undefined> {
    return this.#api(newId()).find({ path }, schema, what);
  }

  /** The payment with an id; undefined if there is none. */
  async findPayment(id: string): Promise<unknown> {
    const page = await this.#api(newId()).read(
      { path: "/payments", query: { id } },
      Payments,
      "payments",
    );
    return page.content[0];
  }

  /** Creates a payment once for each reference. The provider repeats its answer for a known nonce. */
  createPayment(json: object, reference: string): Promise<unknown> {
    const nonce = kit.headerKey(reference, NONCE_LENGTH_MAX);
    const call = { method: "POST", path: "/payments", json } as const;
    const headers = { "x-mod-retry": "true" };
    return this.#api(nonce).read({ ...call, headers }, z.unknown(), "a payment");
  }

  #api(nonce: string): kit.ApiClient {
    return new kit.ApiClient(this.#ports.fetch, {
      baseUrl: this.#config.endpoint,
      headers: () => this.#headers(nonce),
    });
  }

  #headers(nonce: string): Readonly<Record<string, string>> {
    const { apiKey, apiSecret, endpoint } = this.#config;
    if (TOKEN_ENDPOINT.test(endpoint)) return { authorization: apiKey, "x-mod-nonce": nonce };
    const date = new Date(toMillis(this.#ports.clock())).toUTCString();
    const signed = createHmac("sha1", apiSecret)
      .update(`date: ${date}\nx-mod-nonce: ${nonce}`)
      .digest("base64");
    const parts = [
      `keyId="${apiKey}"`,
      'algorithm="hmac-sha1"',
      'headers="date x-mod-nonce"',
      `signature="${encodeURIComponent(signed)}"`,
    ];
    return { authorization: `Signature ${parts.join(",")}`, date, "x-mod-nonce": nonce };
  }
}

const Payments = z.object({ content: z.array(z.unknown()) });

/**
 * A page of a list that has its newest object first. If the provider answers with the previous page, the requested page is its own next
 * page.
 */
export function toNewestPage({ content, page, totalPages }: z.output<typeof Page>): kit.NewestPage {
  return { values: content, next: page + 1 < totalPages ? String(page + 1) : undefined };
}
