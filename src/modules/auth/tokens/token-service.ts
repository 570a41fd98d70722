import { authorizationCode } from "./authorization-code.ts";
import { ClientAuthenticator, presentsSecret, publicKeys } from "./client-authenticator.ts";
import { clientCredentials } from "./client-credentials.ts";
import { deviceCode } from "./device-code.ts";
import type { GrantHandler, GrantPorts } from "./grant-handler.ts";
import { jwtBearer } from "./jwt-bearer.ts";
import { refreshToken } from "./refresh-token.ts";
import type { IssuedTokens, TokenRequest } from "./requests.ts";
import { TokenSigner } from "./token-signer.ts";
import { FCTL_CLIENT_ID } from "#modules/auth/core/membership.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import { type AttemptKeys, AttemptLimits } from "#modules/auth/limits/attempt-limits.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";
import { assertTokensMeanwhile } from "#platform/restoration/restoration-token.ts";

const HANDLERS = {
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
  client_credentials: clientCredentials,
  "urn:ietf:params:oauth:grant-type:device_code": deviceCode,
  "urn:ietf:params:oauth:grant-type:jwt-bearer": jwtBearer,
} as const satisfies Readonly<Record<string, GrantHandler>>;

export const GRANT_TYPES: readonly string[] = Object.keys(HANDLERS);

/** Failures that count in the limits: guesses, and polls of a device that does not wait. */
const COUNTED: ReadonlySet<string> = new Set(["invalid_grant", "slow_down"]);

export interface TokenServiceOptions extends GrantPorts {
  readonly limitsOf: (keys: AttemptKeys) => Pick<AttemptLimits, "assertOpen" | "countFailure">;
}

/** The token endpoint: an ordered list of checks, each with an error of RFC 6749 of its own. */
export class TokenService {
  readonly #options: TokenServiceOptions;

  constructor(options: TokenServiceOptions) {
    this.#options = options;
  }

  /** `scopes` are all scopes of the modules. */
  static from(
    context: ServiceContext,
    { scopes, reader }: Pick<GrantPorts, "reader"> & { readonly scopes: readonly string[] },
  ): TokenService {
    const { env } = context;
    return new TokenService({
      context,
      clients: ClientAuthenticator.from(context, scopes),
      signer: new TokenSigner(SigningKeys.from(env), systemClock),
      reader,
      limitsOf: (keys) => new AttemptLimits(env, keys),
    });
  }

  async issue(request: TokenRequest): Promise<IssuedTokens> {
    const { grant_type: grantType = "" } = request.form;
    const handle = this.#handlerOf(grantType);
    await assertTokensMeanwhile(this.#options.context.env, grantType);
    // Wrong secrets are counted by `ClientAuthenticator`. A client with a right secret does not guess codes, but may pass on codes of strangers.
    if (presentsSecret(request)) return handle(request, this.#options);
    const limits = this.#options.limitsOf(publicKeys(request));
    await limits.assertOpen();
    try {
      return await handle(request, this.#options);
    } catch (error) {
      const isGuess = error instanceof OAuthError && COUNTED.has(error.error);
      if (isGuess) await limits.countFailure();
      throw isGuess ? asClientKnows(error, request) : error;
    }
  }

  #handlerOf(grantType: string): GrantHandler {
    if (grantType === "") throw new OAuthError("invalid_request", "grant_type missing");
    // A key of `HANDLERS`.
    if (Object.hasOwn(HANDLERS, grantType)) return HANDLERS[grantType as keyof typeof HANDLERS];
    throw new OAuthError("unsupported_grant_type", `${grantType} not supported`);
  }
}

/** The error for a bad refresh token, as its client knows it: the official command line begins a new login only for this code. */
function asClientKnows(error: OAuthError, { form }: TokenRequest): OAuthError {
  const isRefresh = form.grant_type === "refresh_token" && form.client_id === FCTL_CLIENT_ID;
  return isRefresh ? new OAuthError("invalid_request", error.description) : error;
}
