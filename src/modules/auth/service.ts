import { hashSecret, lastDigitsOf } from "./client-secret.ts";
import {
  CLIENT_SECRETS_MAX,
  CLIENTS_MAX,
  type Client,
  type ClientFields,
  type ClientSecret,
} from "./core/client.ts";
import { authSettings } from "./settings.ts";
import { AuthStore } from "./store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";

/** Manages the clients that the API has made. The client of the settings is none of them. */
export class ClientService {
  readonly #store: AuthStore;
  readonly #staticClientId: string | undefined;

  constructor(store: AuthStore, staticClientId: string | undefined) {
    this.#store = store;
    this.#staticClientId = staticClientId;
  }

  static from({ env }: Pick<ServiceContext, "env">): ClientService {
    return new ClientService(new AuthStore(env), authSettings.of(env).FLORIN_CLIENT_ID);
  }

  async list(): Promise<Client[]> {
    return this.#store.listClients();
  }

  async get(id: string): Promise<Client> {
    return (await this.#store.findClient(id)) ?? noClient(id);
  }

  async create(fields: ClientFields, id = newId()): Promise<Client> {
    // Two requests at once may exceed the limit by one; it only keeps the list from growing without end.
    if ((await this.#store.countClients()) >= CLIENTS_MAX) {
      throw new AppError("VALIDATION", `there are ${CLIENTS_MAX} clients, which is the most`);
    }
    const isTaken = id === this.#staticClientId || !(await this.#store.insertClient(id, fields));
    if (isTaken) throw new AppError("CONFLICT", `there is a client with the id '${id}' already`);
    return { ...fields, id, secrets: [] };
  }

  /** Replaces all fields; the id and the secrets stay. */
  async replace(id: string, fields: ClientFields): Promise<Client> {
    return (await this.#store.updateClient(id, fields)) ?? noClient(id);
  }

  /** Deletes the client, if there is one. Its tokens stay valid until they expire. */
  async delete(id: string): Promise<void> {
    await this.#store.deleteClient(id);
  }

  /** Makes a secret. Its clear text is known here and now only. */
  async createSecret(
    clientId: string,
    { name, metadata }: Pick<ClientSecret, "name" | "metadata">,
  ): Promise<{ secret: ClientSecret; clear: string }> {
    const { secrets } = await this.get(clientId);
    if (secrets.length >= CLIENT_SECRETS_MAX) {
      throw new AppError(
        "VALIDATION",
        `the client has ${CLIENT_SECRETS_MAX} secrets, which is the most; delete one first`,
      );
    }
    const clear = newId();
    const secret = {
      id: newId(),
      name,
      hash: hashSecret(clear),
      lastDigits: lastDigitsOf(clear),
      metadata,
    };
    if (!(await this.#store.insertSecret(clientId, secret))) noClient(clientId);
    return { secret, clear };
  }

  async deleteSecret(clientId: string, secretId: string): Promise<void> {
    if (await this.#store.deleteSecret(clientId, secretId)) return;
    throw new AppError("NOT_FOUND", `client '${clientId}' has no secret '${secretId}'`);
  }
}

function noClient(id: string): never {
  throw new AppError("NOT_FOUND", `there is no client '${id}'`);
}
