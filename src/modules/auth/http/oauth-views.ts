import { STANDARD_SCOPES } from "#modules/auth/core/scopes.ts";
import { TOKEN_ALGORITHM } from "#modules/auth/keys/signing-keys.ts";
import { CLIENT_AUTHENTICATION_METHODS } from "#modules/auth/tokens/client-authenticator.ts";
import type { TokenState } from "#modules/auth/tokens/introspect.ts";
import type { IssuedTokens } from "#modules/auth/tokens/requests.ts";
import type { UserInfo } from "#modules/auth/tokens/userinfo.ts";

export const toTokenView = (tokens: IssuedTokens) => ({
  access_token: tokens.accessToken,
  token_type: "Bearer" as const,
  ...(tokens.refreshToken === undefined ? {} : { refresh_token: tokens.refreshToken }),
  expires_in: tokens.expiresInSeconds,
  ...(tokens.idToken === undefined ? {} : { id_token: tokens.idToken }),
  ...(tokens.scope === undefined ? {} : { scope: tokens.scope }),
});

export function toIntrospectionView(state: TokenState | undefined) {
  if (state === undefined) return { active: false };
  const { access, person, subject } = state;
  return {
    active: true,
    scope: state.scope,
    client_id: state.clientId,
    exp: state.expiresAt,
    ...(subject === undefined ? {} : { sub: subject }),
    ...(access === undefined ? {} : toAccessClaims(access)),
    ...(person === undefined || !state.scope.split(" ").includes("email") ? {} : toEmail(person)),
  };
}

const toAccessClaims = ({
  issuedAt,
  audience,
  principal,
  tokenId,
}: NonNullable<TokenState["access"]>) => ({
  token_type: "Bearer" as const,
  iat: issuedAt,
  aud: [...audience],
  iss: principal.issuer,
  ...(tokenId === undefined ? {} : { jti: tokenId }),
});

export const toUserInfoView = ({ person, scopes }: UserInfo) => ({
  sub: person.id,
  ...(scopes.has("profile") && person.name !== "" ? { name: person.name } : {}),
  ...(scopes.has("email") ? toEmail(person) : {}),
});

const toEmail = ({ email, emailVerified }: UserInfo["person"]) => ({
  email,
  email_verified: emailVerified,
});

/** The discovery document, which names only what works. `scopes` are those of the modules. */
export const toDiscoveryView = (
  issuer: string,
  { scopes, grantTypes }: { scopes: readonly string[]; grantTypes: readonly string[] },
) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  end_session_endpoint: `${issuer}/end_session`,
  token_endpoint: `${issuer}/oauth/token`,
  introspection_endpoint: `${issuer}/oauth/introspect`,
  userinfo_endpoint: `${issuer}/userinfo`,
  revocation_endpoint: `${issuer}/revoke`,
  jwks_uri: `${issuer}/keys`,
  scopes_supported: [...new Set([...STANDARD_SCOPES, ...scopes])],
  response_types_supported: ["code"],
  response_modes_supported: ["query", "fragment"],
  grant_types_supported: [...grantTypes],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: [TOKEN_ALGORITHM],
  token_endpoint_auth_methods_supported: ["none", ...CLIENT_AUTHENTICATION_METHODS],
  revocation_endpoint_auth_methods_supported: ["none", ...CLIENT_AUTHENTICATION_METHODS],
  introspection_endpoint_auth_methods_supported: ["client_secret_basic"],
  claims_supported: [...CLAIMS],
  code_challenge_methods_supported: ["S256"],
  prompt_values_supported: ["none", "login", "consent", "select_account"],
  authorization_response_iss_parameter_supported: true,
  ui_locales_supported: ["en"],
  // The default of `request_parameter_supported` is false, but that of `request_uri_parameter_supported` is true.
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
});

/** The claims of ID tokens and of the userinfo endpoint. */
const CLAIMS =
  "iss sub aud exp iat auth_time nonce at_hash c_hash azp client_id name email email_verified".split(
    " ",
  );
