import { SignJWT } from "jose";
import { accessTokenClaims } from "./access-token.ts";
import { matchesSecret } from "./client-secret.ts";
import { ledgersOf } from "./core/client-ledgers.ts";
import type { Client, Credential } from "./core/client.ts";
import { OAuthError } from "./core/oauth-error.ts";
import { grantScopes } from "./core/scopes.ts";
import { type Credentials, parseBasic, usesBasic } from "./credentials.ts";
import { authSettings } from "./settings.ts";
import { SigningKeys, TOKEN_ALGORITHM } from "./signing-keys.ts";
import { staticClient } from "./static-client.ts";
import { AuthStore } from "./store.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Clock, toMillis } from "#platform/time.ts";

/** What a request to the token endpoint carries. */
export interface TokenRequest {
  readonly grantType: string | undefined;
  readonly scope: string | undefined;
  readonly authorization: string | null;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The issuer that the token names. */
  readonly issuer: string;
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  /** The scopes that were granted, if they differ from the requested ones. */
  readonly scope: string | undefined;
}

/** Lifetime of a token of a client that acts for itself. */
const TOKEN_LIFETIME_SECONDS = 3600;

/** The grants that work. */
export const GRANT_TYPES: readonly string[] = ["client_credentials"];
/** The ways in which a client may say who it is. */
export const CLIENT_AUTHENTICATION_METHODS = ["client_secret_basic", "client_secret_post"] as const;

export interface TokenServiceOptions {
  readonly findClient: (id: string) => Promise<Credential | undefined>;
  readonly keys: Pick<SigningKeys, "current">;
  readonly clock: Clock;
}

/** The token endpoint: an ordered list of checks, each of which refuses with its own error of RFC 6749. */
export class TokenService {
  readonly #options: TokenServiceOptions;

  constructor(options: TokenServiceOptions) {
    this.#options = options;
  }

  /** `scopes` are all that the modules have. */
  static from({ env }: Pick<ServiceContext, "env">, scopes: readonly string[]): TokenService {
    const store = new AuthStore(env);
    const first = staticClient(authSettings.of(env), scopes);
    return new TokenService({
      findClient: async (id) =>
        id === first?.clientId ? first : toCredential(await store.findClient(id)),
      keys: SigningKeys.from(env),
      clock: systemClock,
    });
  }

  async issue(request: TokenRequest): Promise<IssuedToken> {
    assertGrantType(request.grantType);
    const credentials = readCredentials(request);
    const client = await this.#authenticate(credentials);
    assertConfidential(client);
    return this.#sign(client, request);
  }

  async #authenticate({ clientId, clientSecret }: Credentials): Promise<Credential> {
    const client = await this.#options.findClient(clientId);
    const isKnown = matchesSecret(clientSecret, client?.secretHashes ?? []);
    if (client === undefined || !isKnown) throw new OAuthError("invalid_client");
    return client;
  }

  async #sign(client: Credential, { scope: requested = "", issuer }: TokenRequest) {
    const { kid, privateKey } = await this.#options.keys.current();
    const issuedAt = Math.floor(toMillis(this.#options.clock()) / 1000);
    const scope = grantScopes(requested, client.scopes);
    const claims = accessTokenClaims({
      issuer,
      clientId: client.clientId,
      scope,
      ledgers: client.ledgers,
      issuedAt,
      lifetimeSeconds: TOKEN_LIFETIME_SECONDS,
    });
    const accessToken = await new SignJWT(claims)
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid, typ: "JWT" })
      .sign(privateKey);
    return {
      accessToken,
      expiresInSeconds: TOKEN_LIFETIME_SECONDS,
      scope: scope === requested ? undefined : scope,
    };
  }
}

function assertGrantType(grantType: string | undefined): void {
  if (grantType === undefined) throw new OAuthError("invalid_request", "grant_type missing");
  if (GRANT_TYPES.includes(grantType)) return;
  throw new OAuthError("unsupported_grant_type", `${grantType} not supported`);
}

function readCredentials({ authorization, clientId, clientSecret }: TokenRequest): Credentials {
  if (usesBasic(authorization)) {
    const credentials = parseBasic(authorization);
    if (credentials === undefined) throw new OAuthError("invalid_client");
    return credentials;
  }
  if (clientId === undefined || clientSecret === undefined) throw new OAuthError("invalid_client");
  return { clientId, clientSecret };
}

function assertConfidential(client: Credential): void {
  if (client.public) throw new OAuthError("unauthorized_client");
}

function toCredential(client: Client | undefined): Credential | undefined {
  if (client === undefined) return undefined;
  return {
    clientId: client.id,
    public: client.public,
    scopes: client.scopes,
    ledgers: ledgersOf(client.metadata),
    secretHashes: client.secrets.map(({ hash }) => hash),
  };
}
