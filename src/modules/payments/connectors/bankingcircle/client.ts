import { z } from "zod";
import type { BankingCircleConfig } from "./config.ts";
import type { ProviderFetch } from "#modules/payments/connectors/contract.ts";
import { ApiClient } from "#modules/payments/connectors/kit/client.ts";
import { Text } from "#modules/payments/connectors/kit/objects.ts";
import { basicAuth } from "#modules/payments/connectors/kit/signatures.ts";
import { type AccessToken, TokenApiClient } from "#modules/payments/connectors/kit/token-client.ts";
import type { Clock } from "#platform/time.ts";

const Page = z.object({ result: z.array(z.unknown()) });
const Token = z.object({
  access_token: Text,
  expires_in: z.union([z.number(), z.string().regex(/^\d{1,9}$/)]).transform(Number),
});

/** The API of Banking Circle. All methods throw `ConnectorError`. */
export class BankingCircleClient {
  readonly #api: ApiClient;

  constructor(
    { fetch, clock }: { readonly fetch: ProviderFetch; readonly clock: Clock },
    config: BankingCircleConfig,
  ) {
    this.#api = new TokenApiClient(fetch, {
      baseUrl: config.endpoint,
      clock,
      logIn: () => logIn(fetch, config),
      headersOf: (token) => ({ authorization: `Bearer ${token}` }),
    });
  }

  /** A page of a list. */
  async list(
    path: string,
    { page, pageSize, ...query }: { page: number; pageSize: number; OpeningDateFrom?: string },
  ): Promise<readonly unknown[]> {
    const asked = { PageNumber: page, PageSize: pageSize, ...query };
    const { result } = await this.#api.read({ path, query: asked }, Page, "a list");
    return result;
  }

  read<S extends z.ZodType>(path: string, schema: S, what: string): Promise<z.output<S>> {
    return this.#api.read({ path }, schema, what);
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
    return this.#api.read({ method: "POST", path, json }, z.unknown(), "the answer to a payment");
  }
}

/** Tokens come from another host than all else. */
async function logIn(
  fetch: ProviderFetch,
  { authorizationEndpoint, username, password }: BankingCircleConfig,
): Promise<AccessToken> {
  const api = new ApiClient(fetch, {
    baseUrl: authorizationEndpoint,
    headers: () => ({ authorization: basicAuth(username, password) }),
  });
  const path = "/api/v1/authorizations/authorize";
  const { access_token: token, expires_in: seconds } = await api.read({ path }, Token, "a token");
  return { token, lifetimeMs: seconds * 1000 };
}
