import { z } from "zod";
import type { AtlarConfig } from "./config.ts";
import type { ProviderFetch } from "#modules/payments/connectors/contract.ts";
import { ApiClient } from "#modules/payments/connectors/kit/client.ts";
import { OptionalText } from "#modules/payments/connectors/kit/objects.ts";
import { basicAuth } from "#modules/payments/connectors/kit/signatures.ts";
import type { TokenPage } from "#modules/payments/connectors/kit/token-list.ts";

/** What users and this connector add to metadata begins so. */
export const PREFIX = "com.atlar.spec/";

/** Those that are there, under the names of this connector. */
export const prefixed = (
  values: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[`${PREFIX}${name}`, value]],
    ),
  );

const Page = z.object({ items: z.array(z.unknown()), nextToken: OptionalText });
const Named = z.object({ name: OptionalText });

/** The lists of the API. */
type AtlarList =
  | "/v1/accounts"
  | "/v1/external-accounts"
  | "/v1/transactions"
  | "/v1/counterparties";

/** Most names of banks that are remembered. */
const NAMES_MAX = 2048;

/** The API of Atlar. All methods throw `ConnectorError`. */
export class AtlarClient {
  readonly #api: ApiClient;
  readonly #banks = new Map<string, string | undefined>();

  constructor(fetch: ProviderFetch, { baseUrl, accessKey, secret }: AtlarConfig) {
    this.#api = new ApiClient(fetch, {
      baseUrl,
      headers: () => ({ authorization: basicAuth(accessKey, secret) }),
    });
  }

  async list(
    path: AtlarList,
    { token, pageSize }: { readonly token: string | undefined; readonly pageSize: number },
  ): Promise<TokenPage> {
    const query = { token, limit: pageSize };
    const { items, nextToken } = await this.#api.read({ path, query }, Page, "a list");
    return { values: items, next: nextToken };
  }

  /** Undefined where the provider has no such object. */
  find<S extends z.ZodType>(
    path: string,
    schema: S,
    what: string,
  ): Promise<z.output<S> | undefined> {
    return this.#api.find({ path }, schema, what);
  }

  create(path: string, json: object): Promise<unknown> {
    return this.#api.read({ method: "POST", path, json }, z.unknown(), "what was made");
  }

  /** The name of a bank, which the provider knows as a third party. It is asked for once. */
  async bankName(id: string): Promise<string | undefined> {
    if (this.#banks.has(id)) return this.#banks.get(id);
    const path = `/v1beta/third-parties/${encodeURIComponent(id)}`;
    const name = (await this.find(path, Named, "a third party"))?.name;
    if (this.#banks.size >= NAMES_MAX) this.#banks.clear();
    this.#banks.set(id, name);
    return name;
  }
}
