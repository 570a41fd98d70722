import { z } from "zod";
import type { TinkConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The scopes of the application's own token. */
const APP_SCOPE = "authorization:grant,user:create,webhook-endpoints";
/** The scopes of a token on behalf of a user. */
const USER_SCOPE =
  "accounts:read,balances:read,transactions:read,provider-consents:read,credentials:read,credentials:write,user:read,user:delete";
/** The scopes and the client id of Tink Link, the provider's pages for users. The client id is the same for all customers. */
const LINK_SCOPE =
  "authorization:read,authorization:grant,credentials:refresh,credentials:read,credentials:write,providers:read,user:read";
const LINK_CLIENT = "df05e4b379934cd09963197cc855bfe9";

const Code = z.object({ code: kit.Text });

/** Most users with a client in the cache. */
const USERS_MAX = 500;

export type TinkList = "accounts" | "transactions";
type TinkPorts = Pick<kit.PluginPorts, "fetch" | "clock">;

/** The API of Tink. Users are identified by Florin's ids. All methods throw `ConnectorError`. */
export class TinkClient {
  readonly #ports: TinkPorts;
  readonly #config: TinkConfig;
  readonly #users = new Map<string, kit.ApiClient>();
  /** The API with the token of the application. */
  readonly app: kit.ApiClient;

  constructor(ports: TinkPorts, config: TinkConfig) {
    this.#ports = ports;
    this.#config = config;
    const grant = { grant_type: "client_credentials", scope: APP_SCOPE };
    this.app = this.#withToken((api) => this.#token(api, grant));
  }

  get clientID(): string {
    return this.#config.clientID;
  }

  /** The API with the token of a user. */
  user(id: string): kit.ApiClient {
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

  /** A page of the accounts or transactions of a user. */
  async list(
    user: string,
    list: TinkList,
    query: NonNullable<Parameters<kit.ApiClient["send"]>[0]["query"]>,
  ): Promise<kit.TokenPage> {
    const call = { path: `/data/v2/${list}`, query };
    const page = await this.user(user).read(call, z.looseObject({}), "a list");
    const { nextPageToken } = kit.parseObject(Page, page, "a list");
    return { values: kit.parseObject(Values, page[list], "a list"), next: nextPageToken };
  }

  /** A code with which the provider's pages act on behalf of a user. */
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

  #withToken(logIn: (api: kit.ApiClient) => Promise<kit.AccessToken>): kit.ApiClient {
    return new kit.TokenApiClient(this.#ports.fetch, {
      baseUrl: this.#config.endpoint,
      clock: this.#ports.clock,
      logIn,
      headersOf: (token) => ({ authorization: `Bearer ${token}` }),
    });
  }

  #token(api: kit.ApiClient, grant: Readonly<Record<string, string>>): Promise<kit.AccessToken> {
    const { clientID, clientSecret } = this.#config;
    const form = { client_id: clientID, client_secret: clientSecret, ...grant };
    const call = { method: "POST", path: "/api/v1/oauth/token", form, isRead: true } as const;
    return api.read(call, kit.OAuthToken, "a token");
  }
}

const Page = z.object({ nextPageToken: kit.OptionalText });
const Values = z.array(z.unknown());
