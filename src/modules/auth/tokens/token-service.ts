import { authorizationCode } from "./authorization-code.ts";
import { ClientAuthenticator, presentsSecret } from "./client-authenticator.ts";
import { clientCredentials } from "./client-credentials.ts";
import type { GrantHandler, GrantPorts } from "./grant-handler.ts";
import { jwtBearer } from "./jwt-bearer.ts";
import { refreshToken } from "./refresh-token.ts";
import type { IssuedTokens, TokenRequest } from "./requests.ts";
import { TokenSigner } from "./token-signer.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { AttemptLimits } from "#modules/auth/limits/attempt-limits.ts";
import { type AuthSettings, authSettings } from "#modules/auth/settings.ts";
import { SigningKeys } from "#modules/auth/signing-keys.ts";
import type { TokenReader } from "#modules/auth/token-verifier.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";

const HANDLERS = {
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
  client_credentials: clientCredentials,
  "urn:ietf:params:oauth:grant-type:jwt-bearer": jwtBearer,
} as const satisfies Readonly<Record<string, GrantHandler>>;

/** The grant types that a deployment takes: assertions only where somebody is trusted to make them. */
export const grantTypesOf = ({ FLORIN_TRUSTED_ISSUERS }: AuthSettings): string[] =>
  Object.keys(HANDLERS).filter(
    (name) =>
      HANDLERS[name as keyof typeof HANDLERS] !== jwtBearer || FLORIN_TRUSTED_ISSUERS.length > 0, // a key of it
  );

export interface TokenServiceOptions extends GrantPorts {
  readonly grantTypes: readonly string[];
  readonly limitsOf: (address: string) => Pick<AttemptLimits, "assertOpen" | "countFailure">;
}

/** The token endpoint: an ordered list of checks, each of which refuses with its own error of RFC 6749. */
export class TokenService {
  readonly #options: TokenServiceOptions;

  constructor(options: TokenServiceOptions) {
    this.#options = options;
  }

  /** `scopes` are all that the modules have. */
  static from(
    context: ServiceContext,
    { scopes, reader }: { readonly scopes: readonly string[]; readonly reader: TokenReader },
  ): TokenService {
    const { env } = context;
    return new TokenService({
      context,
      clients: ClientAuthenticator.from(context, scopes),
      signer: new TokenSigner(SigningKeys.from(env), systemClock),
      reader,
      grantTypes: grantTypesOf(authSettings.of(env)),
      limitsOf: (address) => new AttemptLimits(env, { tokenAddress: address }),
    });
  }

  async issue(request: TokenRequest): Promise<IssuedTokens> {
    const handle = this.#handlerOf(request.form.grant_type ?? "");
    const limits = this.#options.limitsOf(request.address);
    // Where there is a secret, the limits are asked after it was compared.
    if (!presentsSecret(request)) await limits.assertOpen();
    try {
      return await handle(request, this.#options);
    } catch (error) {
      // Wrong secrets are counted where they are compared.
      const isGuess = error instanceof OAuthError && error.error === "invalid_grant";
      if (isGuess) await limits.countFailure();
      throw error;
    }
  }

  #handlerOf(grantType: string): GrantHandler {
    if (grantType === "") throw new OAuthError("invalid_request", "grant_type missing");
    const isKnown = this.#options.grantTypes.includes(grantType);
    const handler = HANDLERS[grantType as keyof typeof HANDLERS]; // undefined where it is none of them
    if (isKnown && handler !== undefined) return handler;
    throw new OAuthError("unsupported_grant_type", `${grantType} not supported`);
  }
}
