import { z } from "zod";
import type { AtlarConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export const SPEC = new kit.SpecMetadata("com.atlar.spec/");

const Page = z.object({ items: z.array(z.unknown()), nextToken: kit.OptionalText });
const Named = z.object({ name: kit.OptionalText });

type AtlarList =
  | "/v1/accounts"
  | "/v1/external-accounts"
  | "/v1/transactions"
  | "/v1/counterparties";

/** Most names of banks in the cache. */
const NAMES_MAX = 2048;

/** The API of Atlar. All methods throw `ConnectorError`. */
export class AtlarClient extends kit.ApiClient {
  readonly #banks = new Map<string, string | undefined>();

  constructor(fetch: kit.ProviderFetch, { baseUrl, accessKey, secret }: AtlarConfig) {
    super(fetch, {
      baseUrl,
      headers: () => ({ authorization: kit.basicAuth(accessKey, secret) }),
    });
  }

  async list(
    path: AtlarList,
    { token, pageSize }: { readonly token: string | undefined; readonly pageSize: number },
  ): Promise<kit.TokenPage> {
    const query = { token, limit: pageSize };
    const { items, nextToken } = await this.read({ path, query }, Page, "a list");
    return { values: items, next: nextToken };
  }

  create(path: string, json: object): Promise<unknown> {
    return this.read({ method: "POST", path, json }, z.unknown(), "what was made");
  }

  /** The name of a bank, which the provider lists as a third party. Names are cached. */
  async bankName(id: string): Promise<string | undefined> {
    if (this.#banks.has(id)) return this.#banks.get(id);
    const path = `/v1beta/third-parties/${encodeURIComponent(id)}`;
    const name = (await this.find({ path }, Named, "a third party"))?.name;
    if (this.#banks.size >= NAMES_MAX) this.#banks.clear();
    this.#banks.set(id, name);
    return name;
  }
}
