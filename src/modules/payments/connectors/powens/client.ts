import { z } from "zod";
import type { PowensConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

const NewUser = z.object({ auth_token: kit.Text, id_user: kit.Id, expires_in: z.int().nullish() });
const Code = z.object({ code: kit.Text, expires_in: z.int().nullish() });
const Accounts = z.object({ accounts: z.array(z.unknown()) });
const Transactions = z.object({ transactions: z.array(z.unknown()) });
const Auth = z.looseObject({ id: kit.Id, name: z.string().nullish() });
const NewAuth = z.object({ id: kit.Id, config: z.object({ secret_key: kit.Text }) });

/** The API of Powens. All methods throw `ConnectorError`. */
export class PowensClient {
  readonly #fetch: kit.ProviderFetch;
  readonly #config: PowensConfig;

  constructor(fetch: kit.ProviderFetch, config: PowensConfig) {
    this.#fetch = fetch;
    this.#config = config;
  }

  createUser(): Promise<z.output<typeof NewUser>> {
    const { clientID: client_id, clientSecret: client_secret } = this.#config;
    const json = { client_id, client_secret };
    const call = { method: "POST", path: "/2.0/auth/init", json } as const;
    return this.#api().read(call, NewUser, "a new user");
  }

  /** A code that opens a link for a user. */
  createCode(user: kit.ForwardedUser): Promise<z.output<typeof Code>> {
    const call = { path: "/2.0/auth/token/code" };
    return this.#as(user).read(call, Code, "the code of a link");
  }

  async hasConnection(user: kit.ForwardedUser, connectionId: string): Promise<boolean> {
    const path = connectionPath(connectionId);
    return (
      (await this.#as(user).find({ path }, z.object({ id: kit.Id }), "a connection")) !== undefined
    );
  }

  async listAccounts(user: kit.ForwardedUser, connectionId: string): Promise<readonly unknown[]> {
    const path = `${connectionPath(connectionId)}/accounts`;
    return (await this.#as(user).read({ path }, Accounts, "the accounts")).accounts;
  }

  /** A page of the transactions of a connection, the newest one first. */
  async listTransactions(
    user: kit.ForwardedUser,
    connectionId: string,
    query: NonNullable<kit.ApiCall["query"]>,
  ): Promise<readonly unknown[]> {
    const path = `${connectionPath(connectionId)}/transactions`;
    const answer = await this.#as(user).read({ path, query }, Transactions, "transactions");
    return answer.transactions;
  }

  /** Deletes a connection. A connection that does not exist any more counts as deleted. */
  async deleteConnection(user: kit.ForwardedUser, connectionId: string): Promise<void> {
    await this.#as(user).send({ method: "DELETE", path: connectionPath(connectionId) });
  }

  /** Deletes a user. A user who does not exist any more counts as deleted. */
  async deleteUser(user: kit.ForwardedUser): Promise<void> {
    await this.#as(user).send({ method: "DELETE", path: "/2.0/users/me" });
  }

  /** The signature methods of webhooks. The list may have any name in the answer. */
  async listAuths(): Promise<readonly z.output<typeof Auth>[]> {
    const answer = await this.#configurator().read(
      { path: "/webhooks/auth" },
      z.record(z.string(), z.unknown()),
      "the signatures of webhooks",
    );
    const list = Object.values(answer).find((value) => Array.isArray(value));
    return list === undefined
      ? []
      : kit.parseObject(z.array(Auth), list, "the signatures of webhooks");
  }

  createAuth(name: string): Promise<z.output<typeof NewAuth>> {
    const query = { type: "hmac_signature", name };
    const call = { method: "POST", path: "/webhooks/auth", query } as const;
    return this.#configurator().read(call, NewAuth, "the signature of webhooks");
  }

  async deleteAuth(id: string): Promise<void> {
    const path = `/webhooks/auth/${encodeURIComponent(id)}`;
    await this.#configurator().send({ method: "DELETE", path });
  }

  #as({ accessToken }: kit.ForwardedUser): kit.ApiClient {
    if (accessToken === undefined) throw kit.refused("the user has no token");
    return this.#api(accessToken);
  }

  #configurator(): kit.ApiClient {
    return this.#api(this.#config.configurationToken);
  }

  #api(token?: string): kit.ApiClient {
    return new kit.ApiClient(this.#fetch, {
      baseUrl: this.#config.endpoint,
      headers: () => (token === undefined ? {} : { authorization: `Bearer ${token}` }),
    });
  }
}

const connectionPath = (id: string): string =>
  `/2.0/users/me/connections/${encodeURIComponent(id)}`;
