import { z } from "zod";
import type { TinkConfig } from "./config.ts";
import type { ProviderFetch } from "#modules/payments/connectors/contract.ts";
import type { ApiClient } from "#modules/payments/connectors/kit/client.ts";
import { OptionalText, parseObject, Text } from "#modules/payments/connectors/kit/objects.ts";
import { type AccessToken, TokenApiClient } from "#modules/payments/connectors/kit/token-client.ts";
import type { TokenPage } from "#modules/payments/connectors/kit/token-list.ts";
import type { Clock } from "#platform/time.ts";

/** What the application itself may do. */
const APP_SCOPE = "authorization:grant,user:create,webhook-endpoints";
/** What it may do in the name of a user. */
const USER_SCOPE =
  "accounts:read,balances:read,transactions:read,provider-consents:read,credentials:read,credentials:write,user:read,user:delete";
/** What the pages of the provider may do that a user is led to, and who they are: the same for all customers. */
const LINK_SCOPE =
  "authorization:read,authorization:grant,credentials:refresh,credentials:read,credentials:write,providers:read,user:read";
const LINK_CLIENT = "df05e4b379934cd09963197cc855bfe9";

const Token = z.object({ access_token: Text, expires_in: z.number() });
const Code = z.object({ code: Text });

/** Most users whose tokens are remembered. */
const USERS_MAX = 500;

type List = "accounts" | "transactions";

/** The API of Tink. A user is named by the id that Florin has given. All methods throw `ConnectorError`. */
export class TinkClient {
  readonly #ports: { readonly fetch: ProviderFetch; readonly clock: Clock };
  readonly #config: TinkConfig;
  readonly #users = new Map<string, ApiClient>();
  /** The API with the token of the application. */
  readonly app: ApiClient;

  constructor(ports: { readonly fetch: ProviderFetch; readonly clock: Clock }, config: TinkConfig) {
    this.#ports = ports;
    this.#config = config;
    const grant = { grant_type: "client_credentials", scope: APP_SCOPE };
    this.app = this.#withToken((api) => this.#token(api, grant));
  }

  get clientId(): string {
    return this.#config.clientId;
  }

  /** The API with the token of a user. */
  user(id: string): ApiClient {
    const known = this.#users.get(id);
    if (known !== undefined) return known;
    if (this.#users.size >= USERS_MAX) this.#users.clear();
    const api = this.#withToken(async (bare) => {
      const form = { external_user_id: id, scope: USER_SCOPE };
      const code = await this.#grant("/api/v1/oauth/authorization-grant", form);
      return this.#token(bare, { grant_type: "authorization_code", code });
    });
    this.#users.set(id, api);
    return api;
  }

  /** A page of what a user has. */
  async list(
    user: string,
    list: List,
    query: NonNullable<Parameters<ApiClient["send"]>[0]["query"]>,
  ): Promise<TokenPage> {
    const call = { path: `/data/v2/${list}`, query };
    const page = await this.user(user).read(call, z.looseObject({}), "a list");
    const { nextPageToken } = parseObject(Page, page, "a list");
    return { values: parseObject(Values, page[list], "a list"), next: nextPageToken };
  }

  /** A code with which the provider's pages act in the name of a user. */
  linkCode(user: { readonly id: string; readonly name: string }): Promise<string> {
    return this.#grant("/api/v1/oauth/authorization-grant/delegate", {
      external_user_id: user.id,
      id_hint: user.name,
      actor_client_id: LINK_CLIENT,
      scope: LINK_SCOPE,
    });
  }

  async #grant(path: string, form: Readonly<Record<string, string>>): Promise<string> {
    const call = { method: "POST", path, form, isRead: true } as const;
    return (await this.app.read(call, Code, "a code")).code;
  }

  #withToken(logIn: (api: ApiClient) => Promise<AccessToken>): ApiClient {
    return new TokenApiClient(this.#ports.fetch, {
      baseUrl: this.#config.endpoint,
      clock: this.#ports.clock,
      logIn,
      headersOf: (token) => ({ authorization: `Bearer ${token}` }),
    });
  }

  async #token(api: ApiClient, grant: Readonly<Record<string, string>>): Promise<AccessToken> {
    const { clientId, clientSecret } = this.#config;
    const form = { client_id: clientId, client_secret: clientSecret, ...grant };
    const call = { method: "POST", path: "/api/v1/oauth/token", form, isRead: true } as const;
    const { access_token: token, expires_in: seconds } = await api.read(call, Token, "a token");
    return { token, lifetimeMs: seconds * 1000 };
  }
}

const Page = z.object({ nextPageToken: OptionalText });
const Values = z.array(z.unknown());
