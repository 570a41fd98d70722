import { type Credentials, parseBasic, usesBasic } from "./credentials.ts";
import type { ClientRequest } from "./requests.ts";
import { ledgersOf } from "#modules/auth/core/client-ledgers.ts";
import type { Client, Credential } from "#modules/auth/core/client.ts";
import { allowsDeviceLogin } from "#modules/auth/core/device-clients.ts";
import { clientIdOfAlias } from "#modules/auth/core/membership.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { type AttemptKeys, AttemptLimits } from "#modules/auth/limits/attempt-limits.ts";
import { matchesSecret } from "#modules/auth/registry/client-secret.ts";
import { findClient } from "#modules/auth/registry/find-client.ts";
import { staticClient } from "#modules/auth/registry/static-client.ts";
import { authSettings } from "#modules/auth/settings.ts";
import type { ServiceContext } from "#platform/context.ts";

/** The ways in which a client may present its secret. */
export const CLIENT_AUTHENTICATION_METHODS = ["client_secret_basic", "client_secret_post"] as const;

export interface AuthenticatorOptions {
  readonly findClient: (id: string) => Promise<Credential | undefined>;
  readonly limitsOf: (keys: AttemptKeys) => Pick<AttemptLimits, "assertOpen" | "countFailure">;
}

/** The proof that a request has to give. */
export interface ClientProof {
  /** Whether a public client may authenticate by its id alone. */
  readonly allowsPublic: boolean;
  /** The description of a refusal. */
  readonly description?: string;
}

/** Authenticates the client of a request. An unknown client and a wrong secret have the same refusal, which takes the same time. */
export class ClientAuthenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** `scopes` are all scopes of the modules. */
  static from({ env }: Pick<ServiceContext, "env">, scopes: readonly string[]) {
    return new ClientAuthenticator({
      findClient: (id) => findCredential(env, id, scopes),
      limitsOf: (keys) => new AttemptLimits(env, keys),
    });
  }

  /** The client with an id, which nobody has authenticated. */
  find(clientId: string): Promise<Credential | undefined> {
    return this.#options.findClient(clientId);
  }

  async authenticate(request: ClientRequest, proof: ClientProof): Promise<Credential> {
    const refused = new OAuthError("invalid_client", proof.description);
    const { clientId: givenId, clientSecret, secretAsSent } = readCredentials(request) ?? {};
    if (givenId === undefined) throw refused;
    const client = await this.#options.findClient(givenId);
    // Attempts by both ids of a client count together.
    const clientId = client?.clientId ?? givenId;
    if (clientSecret === undefined) {
      if (proof.allowsPublic && client?.public === true) return client;
      throw refused;
    }
    const hashes = client?.secretHashes ?? [];
    const given = secretAsSent === undefined ? [clientSecret] : [clientSecret, secretAsSent];
    const isRight = given.map((secret) => matchesSecret(secret, hashes)).includes(true);
    // A client without secrets has none to guess, so attempts in its name must not use up the limits of clients with secrets.
    const isPublic = client?.public === true && client.secretHashes.length === 0;
    const limits = this.#options.limitsOf(
      isPublic
        ? publicKeys(request)
        : {
            clientAtAddress: `${request.address} ${clientId}`,
            client: clientId,
            tokenAddress: request.address,
          },
    );
    if (client === undefined || !isRight) {
      await limits.countFailure();
      throw refused;
    }
    await limits.assertOpen();
    return client;
  }
}

/** The client with an id, or the confidential client with a second id (`aliasOf`). */
export async function findCredential(
  env: Env,
  id: string,
  allScopes: readonly string[],
): Promise<Credential | undefined> {
  const ofAlias = clientIdOfAlias(id);
  const [client, aliased] = await Promise.all([
    findById(env, id, allScopes),
    ofAlias === undefined ? undefined : findById(env, ofAlias, allScopes),
  ]);
  return client ?? (aliased?.public === false ? aliased : undefined);
}

/** The client with an id, from the settings, the program or the database. For the first client, the database is read, too, so that both take the same time. */
async function findById(
  env: Env,
  id: string,
  allScopes: readonly string[],
): Promise<Credential | undefined> {
  const first = staticClient(authSettings.of(env), allScopes);
  const found = await findClient(env, id);
  return id === first?.clientId ? first : toCredential(found);
}

/** The keys of failures without a secret: those in the name of one client from one address count together. */
export const publicKeys = (request: ClientRequest): AttemptKeys => ({
  publicClientAtAddress: `${request.address} ${readCredentials(request)?.clientId ?? ""}`,
});

/** Whether a request presents a secret, right or wrong. A `Basic` header that cannot be read counts as a wrong one. */
export function presentsSecret(request: ClientRequest): boolean {
  const credentials = readCredentials(request);
  if (credentials !== undefined) return credentials.clientSecret !== undefined;
  return usesBasic(request.authorization) || (request.form.client_secret ?? "") !== "";
}

function readCredentials({ form, authorization }: ClientRequest): Credentials | undefined {
  if (usesBasic(authorization)) return parseBasic(authorization);
  const { client_id: clientId, client_secret: clientSecret } = form;
  if (clientId === undefined) return undefined;
  // An empty parameter counts as absent (RFC 6749 §3.2).
  return { clientId, clientSecret: clientSecret === "" ? undefined : clientSecret };
}

function toCredential(client: Client | undefined): Credential | undefined {
  if (client === undefined) return undefined;
  return {
    clientId: client.id,
    public: client.public,
    trusted: client.trusted,
    scopes: client.scopes,
    ledgers: ledgersOf(client.metadata),
    allowsDevices: allowsDeviceLogin(client.metadata),
    secretHashes: client.secrets.map(({ hash }) => hash),
  };
}
