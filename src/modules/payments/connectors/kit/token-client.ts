import { z } from "zod";
import { type ApiCall, ApiClient, type ApiOptions } from "./client.ts";
import { Text } from "./objects.ts";
import type { ProviderFetch, ProviderResponse } from "#modules/payments/connectors/contract.ts";
import { type Clock, toMillis } from "#platform/time.ts";

/** The token that a login gives. */
export interface AccessToken {
  readonly token: string;
  /** The lifetime of the token, in milliseconds; absent if the token is used until the provider refuses it. */
  readonly lifetimeMs?: number;
}

/** A token as OAuth 2 gives it, with its lifetime in seconds. */
export const OAuthToken = z
  .object({ access_token: Text, expires_in: z.number() })
  .transform(({ access_token, expires_in }): AccessToken => {
    return { token: access_token, lifetimeMs: expires_in * 1000 };
  });

export interface TokenOptions {
  readonly baseUrl: string;
  readonly clock: Clock;
  /** Requests a token, with a client that sends none. */
  readonly logIn: (api: ApiClient) => Promise<AccessToken>;
  /** The headers that carry a token. */
  readonly headersOf: (token: string) => Readonly<Record<string, string>>;
  readonly errorKindOf?: ApiOptions["errorKindOf"];
}

/** How long before its end a token is renewed, in milliseconds, because a request takes time. */
const EARLY_MS = 5000;
const UNAUTHORIZED = 401;

/**
 * The API of a provider that requires a token of a login with each request. If the provider refuses a token, the token is renewed and the
 * request repeated, once.
 */
export class TokenApiClient extends ApiClient {
  readonly #fetch: ProviderFetch;
  readonly #options: TokenOptions;
  #known: { readonly token: string; readonly endsAtMs: number } | undefined;

  constructor(fetch: ProviderFetch, options: TokenOptions) {
    super(fetch, { baseUrl: options.baseUrl, headers: () => ({}) });
    this.#fetch = fetch;
    this.#options = options;
  }

  override async send(call: ApiCall): Promise<ProviderResponse> {
    const known = this.#current();
    if (known === undefined) return this.#sendWith(await this.#renew(), call, () => undefined);
    let isRefused = false;
    try {
      return await this.#sendWith(known, call, () => (isRefused = true));
    } catch (error) {
      if (!isRefused) throw error;
      return this.#sendWith(await this.#renew(), call, () => undefined);
    }
  }

  #sendWith(token: string, call: ApiCall, onRefusal: () => void): Promise<ProviderResponse> {
    const { baseUrl, headersOf, errorKindOf } = this.#options;
    const api = new ApiClient(this.#fetch, {
      baseUrl,
      headers: () => headersOf(token),
      errorKindOf: (answer) => {
        if (answer.status === UNAUTHORIZED) onRefusal();
        return errorKindOf?.(answer);
      },
    });
    return api.send(call);
  }

  #current(): string | undefined {
    const { clock } = this.#options;
    if (this.#known === undefined || this.#known.endsAtMs <= toMillis(clock())) return undefined;
    return this.#known.token;
  }

  async #renew(): Promise<string> {
    this.#known = undefined;
    const { baseUrl, clock, logIn } = this.#options;
    const startedAtMs = toMillis(clock());
    const api = new ApiClient(this.#fetch, { baseUrl, headers: () => ({}) });
    const { token, lifetimeMs = Infinity } = await logIn(api);
    this.#known = { token, endsAtMs: startedAtMs + lifetimeMs - EARLY_MS };
    return token;
  }
}
