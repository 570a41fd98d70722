import { type Credentials, parseBasic, usesBasic } from "./credentials.ts";
import type { ClientRequest } from "./requests.ts";
import { ledgersOf } from "#modules/auth/core/client-ledgers.ts";
import type { Client, Credential } from "#modules/auth/core/client.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { type AttemptKeys, AttemptLimits } from "#modules/auth/limits/attempt-limits.ts";
import { matchesSecret } from "#modules/auth/registry/client-secret.ts";
import { staticClient } from "#modules/auth/registry/static-client.ts";
import { AuthStore } from "#modules/auth/registry/store.ts";
import { authSettings } from "#modules/auth/settings.ts";
import type { ServiceContext } from "#platform/context.ts";

/** The ways in which a client may say who it is. */
export const CLIENT_AUTHENTICATION_METHODS = ["client_secret_basic", "client_secret_post"] as const;

export interface AuthenticatorOptions {
  readonly findClient: (id: string) => Promise<Credential | undefined>;
  readonly limitsOf: (keys: AttemptKeys) => Pick<AttemptLimits, "assertOpen" | "countFailure">;
}

/** What a request must prove. */
export interface ClientProof {
  /** Whether a public client may say only who it is. */
  readonly allowsPublic: boolean;
  /** What a refusal says besides its code. */
  readonly description?: string;
}

/**
 * Finds out which client a request comes from. Whether the client is unknown or its secret is wrong, the refusal is the same and
 * takes as long.
 */
export class ClientAuthenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** `scopes` are all that the modules have. */
  static from({ env }: Pick<ServiceContext, "env">, scopes: readonly string[]) {
    return new ClientAuthenticator({
      findClient: (id) => findCredential(env, id, scopes),
      limitsOf: (keys) => new AttemptLimits(env, keys),
    });
  }

  async authenticate(request: ClientRequest, proof: ClientProof): Promise<Credential> {
    const refused = new OAuthError("invalid_client", proof.description);
    const { clientId, clientSecret } = readCredentials(request) ?? {};
    if (clientId === undefined) throw refused;
    const client = await this.#options.findClient(clientId);
    if (clientSecret === undefined) {
      if (proof.allowsPublic && client?.public === true) return client;
      throw refused;
    }
    const isRight = matchesSecret(clientSecret, client?.secretHashes ?? []);
    // Nobody guesses the secret of a client that has none. What comes in its name takes nothing from those who have secrets.
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

/** The client of that id, be it of the settings or of the database. Both are looked for, as that takes the same time. */
export async function findCredential(
  env: Env,
  id: string,
  allScopes: readonly string[],
): Promise<Credential | undefined> {
  const first = staticClient(authSettings.of(env), allScopes);
  const stored = await new AuthStore(env).findClient(id);
  return id === first?.clientId ? first : toCredential(stored);
}

/** Whose failures count together where no secret shows who it is: those in the name of one client, from one address. */
export const publicKeys = (request: ClientRequest): AttemptKeys => ({
  publicClientAtAddress: `${request.address} ${readCredentials(request)?.clientId ?? ""}`,
});

/** Whether a request presents a secret, right or wrong. */
export const presentsSecret = ({ form, authorization }: ClientRequest): boolean =>
  usesBasic(authorization) || (form.client_secret ?? "") !== "";

function readCredentials({ form, authorization }: ClientRequest): Partial<Credentials> | undefined {
  if (usesBasic(authorization)) return parseBasic(authorization);
  const { client_id: clientId, client_secret: clientSecret = "" } = form;
  if (clientId === undefined) return undefined;
  // An empty parameter counts as absent (RFC 6749 §3.2).
  return clientSecret === "" ? { clientId } : { clientId, clientSecret };
}

function toCredential(client: Client | undefined): Credential | undefined {
  if (client === undefined) return undefined;
  return {
    clientId: client.id,
    public: client.public,
    trusted: client.trusted,
    scopes: client.scopes,
    ledgers: ledgersOf(client.metadata),
    secretHashes: client.secrets.map(({ hash }) => hash),
  };
}
