import { z } from "zod";
import type { BankingCircleConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

const Page = z.object({ result: z.array(z.unknown()) });
const Token = z.object({
  access_token: kit.Text,
  expires_in: z.union([z.number(), z.string().regex(/^\d{1,9}$/)]).transform(Number),
});

/** The API of Banking Circle. All methods throw `ConnectorError`. */
export class BankingCircleClient extends kit.TokenApiClient {
  constructor(
    { fetch, clock }: Pick<kit.PluginPorts, "fetch" | "clock">,
    config: BankingCircleConfig,
  ) {
    super(fetch, {
      baseUrl: config.endpoint,
      clock,
      logIn: () => logIn(fetch, config),
      headersOf: (token) => ({ authorization: `Bearer ${token}` }),
    });
  }

  /** The items of a page of a list, whose first page is 1. */
  async list(
    path: string,
    { page, pageSize, ...query }: { page: number; pageSize: number; OpeningDateFrom?: string },
  ): Promise<readonly unknown[]> {
    const asked = { PageNumber: page, PageSize: pageSize, ...query };
    const { result } = await this.read({ path, query: asked }, Page, "a list");
    return result;
  }

  /**
   * Orders a payment, and returns the unchecked answer. The idempotency key is a member of the body. The kind of an error is `unknown` if
   * the bank may have made the payment.
   */
  create(path: string, json: object): Promise<unknown> {
    return this.read({ method: "POST", path, json }, z.unknown(), "the answer to a payment");
  }
}

/** Requests a token, from another host than that of all other requests. */
async function logIn(
  fetch: kit.ProviderFetch,
  { authorizationEndpoint, username, password }: BankingCircleConfig,
): Promise<kit.AccessToken> {
  const api = new kit.ApiClient(fetch, {
    baseUrl: authorizationEndpoint,
    headers: () => ({ authorization: kit.basicAuth(username, password) }),
  });
  const path = "/api/v1/authorizations/authorize";
  const { access_token: token, expires_in: seconds } = await api.read({ path }, Token, "a token");
  return { token, lifetimeMs: seconds * 1000 };
}
