import { hashSecret, lastDigitsOf } from "./client-secret.ts";
import {
  CLIENT_SECRETS_MAX,
  CLIENTS_MAX,
  type Client,
  type ClientFields,
  type ClientSecret,
} from "./core/client.ts";
import { deleteGrantsOf } from "./grants/grant-store.ts";
import { assertMayGive } from "./may-give.ts";
import { armRevocationSweep, revocationIfChanged } from "./revocations/revoke.ts";
import { authSettings } from "./settings.ts";
import { AuthStore } from "./store.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";

/** Manages the clients that were created through the API. The client of the settings is not among them. */
export class ClientService {
  readonly #store: AuthStore;
  readonly #context: ServiceContext;
  readonly #allScopes: readonly string[];

  /** `allScopes` are those that modules have. */
  constructor(store: AuthStore, context: ServiceContext, allScopes: readonly string[]) {
    this.#store = store;
    this.#context = context;
    this.#allScopes = allScopes;
  }

  static from(context: ServiceContext, allScopes: readonly string[]): ClientService {
    return new ClientService(new AuthStore(context.env), context, allScopes);
  }

  async list(): Promise<Client[]> {
    return this.#store.listClients();
  }

  async get(id: string): Promise<Client> {
    return (await this.#store.findClient(id)) ?? noClient(id);
  }

  async create(fields: ClientFields, id = newId()): Promise<Client> {
    await this.#assertMayHave(fields);
    // Two requests at once may exceed the limit by one; it only keeps the list from growing without end.
    if ((await this.#store.countClients()) >= CLIENTS_MAX) {
      throw new AppError(
        "VALIDATION",
        `there are already ${CLIENTS_MAX} clients, and no more are allowed`,
      );
    }
    const isTaken =
      id === authSettings.of(this.#context.env).FLORIN_CLIENT_ID ||
      !(await this.#store.insertClient(id, fields, this.#audited("client.create", id)));
    if (isTaken) throw new AppError("CONFLICT", `a client with the id '${id}' already exists`);
    return { ...fields, id, secrets: [] };
  }

  /** Replaces all fields; the id and the secrets stay. */
  async replace(id: string, fields: ClientFields): Promise<Client> {
    await this.#assertMayHave(fields);
    const change = this.#audited("client.update", id);
    return (await this.#store.updateClient(id, fields, change)) ?? noClient(id);
  }

  /** Deletes the client, if there is one, with all that people have allowed it. Its tokens end as soon as isolates learn of it. */
  async delete(id: string): Promise<void> {
    if (id === authSettings.of(this.#context.env).FLORIN_CLIENT_ID) return;
    await this.#store.deleteClient(id, this.#audited("client.delete", id), [
      revocationIfChanged(this.#context, { kind: "client", value: id }),
      ...deleteGrantsOf(this.#context, { clientId: id }),
    ]);
    await armRevocationSweep(this.#context);
  }

  /** Makes a secret. This is the only time at which its clear text is known. */
  async createSecret(
    clientId: string,
    { name, metadata }: Pick<ClientSecret, "name" | "metadata">,
  ): Promise<{ secret: ClientSecret; clear: string }> {
    const client = await this.get(clientId);
    const { secrets } = client;
    // Who has the secret may do what the client may.
    await this.#assertMayHave(client);
    if (secrets.length >= CLIENT_SECRETS_MAX) {
      throw new AppError(
        "VALIDATION",
        `the client already has ${CLIENT_SECRETS_MAX} secrets, and no more are allowed; delete one first`,
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
    const change = this.#audited("secret.create", clientId, secret.id);
    if (!(await this.#store.insertSecret(clientId, secret, change))) noClient(clientId);
    return { secret, clear };
  }

  async deleteSecret(clientId: string, secretId: string): Promise<void> {
    const change = this.#audited("secret.delete", clientId, secretId);
    if (await this.#store.deleteSecret(clientId, secretId, change)) return;
    throw new AppError("NOT_FOUND", `client '${clientId}' has no secret '${secretId}'`);
  }

  /** Nobody makes a client that may do more than who makes it. Scopes that no module has are for other servers. */
  async #assertMayHave({ scopes }: ClientFields): Promise<void> {
    const known = scopes.filter((scope) => this.#allScopes.includes(scope));
    await assertMayGive(this.#context, known, this.#allScopes);
  }

  #audited(action: string, clientId: string, secretId?: string): AuditedChange {
    const client = `clients/${clientId}`;
    return new AuditedChange(this.#context, {
      action: `auth.${action}`,
      object: secretId === undefined ? client : `${client}/secrets/${secretId}`,
    });
  }
}

function noClient(id: string): never {
  throw new AppError("NOT_FOUND", `there is no client '${id}'`);
}
