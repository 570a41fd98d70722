import { and, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { hasUnchangedAuthority } from "#modules/auth/authority/conditions.ts";
import { armFormerAuthoritySweep, recordFormerAuthority } from "#modules/auth/authority/former.ts";
import { authorityOfClient, authorityOfFields } from "#modules/auth/authority/holders.ts";
import { type Authority, covers, endsWith } from "#modules/auth/core/authority.ts";
import { builtInName, isBuiltIn } from "#modules/auth/core/built-in-clients.ts";
import {
  CLIENT_SECRETS_MAX,
  CLIENTS_MAX,
  type Client,
  type ClientFields,
  type ClientSecret,
} from "#modules/auth/core/client.ts";
import { aliasOf, clientIdOfAlias } from "#modules/auth/core/membership.ts";
import { keptRedirectUris } from "#modules/auth/core/redirect-uris.ts";
import { deleteGrantsOf } from "#modules/auth/grants/grant-store.ts";
import { PeopleStore } from "#modules/auth/people/store.ts";
import { actorKey } from "#modules/auth/permits/actor.ts";
import { endLinksOf } from "#modules/auth/permits/links.ts";
import { retryOnConflict, permit, type Target } from "#modules/auth/permits/permit.ts";
import { forgetQuota } from "#modules/auth/quotas/store.ts";
import { hashSecret, lastDigitsOf } from "#modules/auth/registry/client-secret.ts";
import { AuthStore } from "#modules/auth/registry/store.ts";
import { armRevocationSweep, revocationIfChanged } from "#modules/auth/revocations/revoke.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { authClients } from "#modules/auth/tables.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";

/**
 * Manages the clients that were created through the API. The first client, which the settings describe, and those that are built in are not
 * among them. Every change needs the authority of the client, before and after it: otherwise it throws `VALIDATION`, or `UNAUTHENTICATED` if the caller is gone
 * (`permits/permit.ts`). Every change throws `CONFLICT` if other changes of the same client or caller keep coming first, and then stores nothing.
 */
export class ClientService {
  readonly #store: AuthStore;
  readonly #context: ServiceContext;

  constructor(store: AuthStore, context: ServiceContext) {
    this.#store = store;
    this.#context = context;
  }

  static from(context: ServiceContext): ClientService {
    return new ClientService(new AuthStore(context.env), context);
  }

  /** All clients, in the order of their creation. */
  async list(): Promise<Client[]> {
    return this.#store.listClients();
  }

  /** Throws `NOT_FOUND`. */
  async get(id: string): Promise<Client> {
    return (await this.#store.findClient(id)) ?? noClient(id);
  }

  /**
   * Creates a client without secrets. Throws `CONFLICT` for an id that a client, the first client, a person or a trusted issuer has, or
   * that is or has the second id of a client (`aliasOf`), and `VALIDATION` if there are too many clients.
   */
  async create(fields: ClientFields, id = newId()): Promise<Client> {
    return retryOnConflict(async () => {
      const next = authorityOfFields(fields);
      const { actor, holds } = await permit(this.#context, { kind: "client", id, next });
      // Two requests at once may exceed the limit by one, which does no harm.
      if ((await this.#store.countClients()) >= CLIENTS_MAX) {
        throw new AppError(
          "VALIDATION",
          `there are already ${CLIENTS_MAX} clients, and no more are allowed`,
        );
      }
      if (this.#isReserved(id)) throw taken(id);
      const { authority } = actor;
      const client: Client = {
        ...fields,
        id,
        secrets: [],
        hasAllScopes: next.hasAll,
        redirectUriMakers: new Map(fields.redirectUris.map((uri) => [uri, authority])),
        version: newId(),
      };
      const audited = this.#audited("client.create", id);
      // The subject of a token is a client or a person, so a client must not have a person's id.
      const condition = and(holds, PeopleStore.isGone(id), ...rivalsOf(id).map(isGone)) ?? holds;
      if (await this.#store.insertClient(client, { audited, condition })) return client;
      const taker = await this.#takerOf(id);
      if (taker !== undefined) throw taken(taker);
      return undefined;
    });
  }

  /**
   * Replaces all fields of a client; its id and secrets stay. If the client gets more authority, secrets and redirect URIs end
   * whose makers could not have given so much (`endsWith` of `core/authority.ts`). Throws `NOT_FOUND`.
   */
  async replace(id: string, fields: ClientFields): Promise<Client> {
    const replaced = await retryOnConflict(async () => {
      assertNotBuiltIn(id);
      const known = await this.get(id);
      const target = targetOf(known, authorityOfFields(fields));
      const { actor, holds } = await permit(this.#context, target);
      const uris = keptRedirectUris({
        ...target,
        wanted: fields.redirectUris,
        known: known.redirectUriMakers,
        actor: actor.authority,
      });
      const client: Client = {
        ...fields,
        id,
        redirectUris: [...uris.kept.keys()],
        redirectUriMakers: uris.kept,
        secrets: known.secrets.filter(({ maker }) => !endsWith(target, maker)),
        hasAllScopes: target.next.hasAll,
        version: newId(),
      };
      const ended = known.secrets.filter(({ maker }) => endsWith(target, maker));
      const isChanged = await this.#store.updateClient(
        client,
        {
          before: this.#former(target, holds),
          audited: this.#audited("client.update", id),
          condition: holds,
          others: [
            ...this.#endings(id, { uris: uris.ended, secrets: ended }),
            ...(covers(target.next, target.now)
              ? []
              : [
                  endLinksOf(
                    this.#context,
                    actorKey("client", id),
                    hasUnchangedAuthority(authClients, client),
                  ),
                ]),
          ],
        },
        ended.map((secret) => secret.id),
      );
      return isChanged ? client : undefined;
    });
    await armFormerAuthoritySweep(this.#context);
    return replaced;
  }

  /** Deletes a client, if there is one, with its secrets and grants. Its tokens end within a minute, when isolates read the revocation. */
  async delete(id: string): Promise<void> {
    await retryOnConflict(async () => {
      const known = await this.#store.findClient(id);
      if (known === undefined) {
        assertNotBuiltIn(id);
        return true;
      }
      const target = targetOf(known);
      const { holds } = await permit(this.#context, target);
      const isDeleted = await this.#store.deleteClient(id, {
        before: this.#former(target, holds),
        audited: this.#audited("client.delete", id),
        condition: holds,
        others: [
          revocationIfChanged(this.#context, { kind: "client", value: id }),
          ...deleteGrantsOf(this.#context, { clientId: id }, isGone(id)),
          endLinksOf(this.#context, actorKey("client", id), isGone(id)),
          ...forgetQuota(this.#context.env, id, isGone(id)),
        ],
      });
      return isDeleted ? true : undefined;
    });
    await Promise.all([armFormerAuthoritySweep(this.#context), armRevocationSweep(this.#context)]);
  }

  /**
   * Adds a secret. Only the return value contains its clear text, so that a repeated call adds another one. Throws `NOT_FOUND` for the
   * client, and `VALIDATION` if the client has too many secrets.
   */
  async createSecret(
    clientId: string,
    { name, metadata }: Pick<ClientSecret, "name" | "metadata">,
  ): Promise<{ secret: ClientSecret; clear: string }> {
    assertNotBuiltIn(clientId);
    const clear = newId();
    return retryOnConflict(async () => {
      const client = await this.get(clientId);
      const { actor, holds } = await permit(this.#context, targetOf(client));
      if (client.secrets.length >= CLIENT_SECRETS_MAX) {
        throw new AppError(
          "VALIDATION",
          `the client already has ${CLIENT_SECRETS_MAX} secrets, and no more are allowed; delete one first`,
        );
      }
      const secret: ClientSecret = {
        id: newId(),
        name,
        hash: hashSecret(clear),
        lastDigits: lastDigitsOf(clear),
        metadata,
        maker: actor.authority,
      };
      const audited = this.#audited("secret.create", clientId, secret.id);
      const changed = { id: clientId, version: newId() };
      const isAdded = await this.#store.insertSecret(changed, secret, {
        audited,
        condition: holds,
      });
      return isAdded ? { secret, clear } : undefined;
    });
  }

  /** Deletes a secret. Tokens that the client has got with it stay valid until they expire. Throws `NOT_FOUND` for the client or the secret. */
  async deleteSecret(clientId: string, secretId: string): Promise<void> {
    const none = new AppError("NOT_FOUND", `client '${clientId}' has no secret '${secretId}'`);
    await retryOnConflict(async () => {
      const client = await this.#store.findClient(clientId);
      if (client?.secrets.some(({ id }) => id === secretId) !== true) throw none;
      const { holds } = await permit(this.#context, targetOf(client));
      const audited = this.#audited("secret.delete", clientId, secretId);
      const change = { audited, condition: holds };
      return (await this.#store.deleteSecret(clientId, secretId, change)) ? true : undefined;
    });
  }

  /** Whether tokens use an id for something else: the first client, one that is built in, or the issuer of an assertion that no client has presented. */
  #isReserved(id: string): boolean {
    const { FLORIN_CLIENT_ID: first, FLORIN_TRUSTED_ISSUERS: issuers } = authSettings.of(
      this.#context.env,
    );
    const isFirst = first !== undefined && [id, ...rivalsOf(id)].includes(first);
    return isFirst || isBuiltIn(id) || issuers.some(({ issuer }) => issuer === id);
  }

  /** The id of the client or the person that keeps a new client from having an id; undefined if nobody does. */
  async #takerOf(id: string): Promise<string | undefined> {
    const known = await Promise.all([
      new PeopleStore(this.#context.env).find(id),
      ...[id, ...rivalsOf(id)].map((one) => this.#store.findClient(one)),
    ]);
    return known.find((one) => one !== undefined)?.id;
  }

  #former(target: ClientTarget, condition: SQL): readonly BatchItem<"sqlite">[] {
    const { now, next } = target;
    const isSame = next !== undefined && covers(now, next) && covers(next, now);
    return isSame ? [] : [recordFormerAuthority(this.#context, target, { now, condition })];
  }

  /**
   * The audit entries of secrets and redirect URIs that end with a change. An entry is stored if the one before it was, so the
   * statements have to stay together.
   */
  #endings(
    id: string,
    {
      uris,
      secrets,
    }: { readonly uris: readonly string[]; readonly secrets: readonly ClientSecret[] },
  ): readonly BatchItem<"sqlite">[] {
    const entry = (action: string, objects: readonly string[]) => {
      const list = stringifyJson(objects.map((object) => `clients/${id}/${object}`));
      const object = sql`SELECT value AS object FROM json_each(${list})`;
      return new AuditedChange(this.#context, { action: `auth.${action}`, object }).entry;
    };
    return [
      ...(uris.length === 0
        ? []
        : [
            entry(
              "redirect-uri.revoke",
              uris.map((uri) => `redirect-uris/${uri}`),
            ),
          ]),
      ...(secrets.length === 0
        ? []
        : [
            entry(
              "secret.revoke",
              secrets.map((secret) => `secrets/${secret.id}`),
            ),
          ]),
    ];
  }

  #audited(action: string, clientId: string, secretId?: string): AuditedChange {
    const client = `clients/${clientId}`;
    return new AuditedChange(this.#context, {
      action: `auth.${action}`,
      object: secretId === undefined ? client : `${client}/secrets/${secretId}`,
    });
  }
}

/** A client as the target of a change (`permit`). */
type ClientTarget = Target & { readonly now: Authority };

function targetOf<N extends Authority | undefined = undefined>(client: Client, next?: N) {
  return {
    kind: "client" as const,
    id: client.id,
    now: authorityOfClient(client),
    next: next as N,
    stillIs: hasUnchangedAuthority(authClients, client),
  };
}

/** The ids of clients beside which a client with this id would take, or lose, requests that use a second id. */
function rivalsOf(id: string): readonly string[] {
  const owner = clientIdOfAlias(id);
  return owner === undefined ? [aliasOf(id)] : [aliasOf(id), owner];
}

/** Holds when there is no client with an id, also when it was deleted; for statements that follow the deletion in its batch. */
const isGone = (id: string): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${authClients} WHERE ${authClients.id} = ${id})`;

/** Throws `VALIDATION` for a client that is a part of the program. */
function assertNotBuiltIn(id: string): void {
  const name = builtInName(id);
  if (name === undefined) return;
  throw new AppError(
    "VALIDATION",
    `the client '${id}' is ${name}: it is built in and cannot be changed or deleted`,
  );
}

const taken = (id: string): AppError =>
  new AppError("CONFLICT", `a client with the id '${id}' already exists`);

function noClient(id: string): never {
  throw new AppError("NOT_FOUND", `there is no client '${id}'`);
}
