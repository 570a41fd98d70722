import { baseOfIssuer } from "#modules/auth/core/issuer-url.ts";
import { STACK_ACCESSES } from "#modules/auth/core/membership.ts";
import { STANDARD_SCOPES } from "#modules/auth/core/scopes.ts";
import { showUserCode } from "#modules/auth/core/user-code.ts";
import {
  DEVICE_CODE_LIFETIME_MS,
  DEVICE_POLL_SECONDS,
} from "#modules/auth/grants/device-code-store.ts";
import type { DeviceCodes } from "#modules/auth/grants/device-codes.ts";
import { TOKEN_ALGORITHM } from "#modules/auth/keys/signing-keys.ts";
import { devicePageUrl } from "#modules/auth/pages/device.ts";
import { CLIENT_AUTHENTICATION_METHODS } from "#modules/auth/tokens/client-authenticator.ts";
import type { TokenState } from "#modules/auth/tokens/introspect.ts";
import type { IssuedTokens } from "#modules/auth/tokens/requests.ts";
import { GRANT_TYPES } from "#modules/auth/tokens/token-service.ts";
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

/** The path of the device authorization endpoint. */
export const DEVICE_PATH = "/device_authorization";

export const toDeviceView = (issuer: string, { deviceCode, userCode }: DeviceCodes) => {
  const page = devicePageUrl(issuer);
  return {
    device_code: deviceCode,
    user_code: showUserCode(userCode),
    verification_uri: page,
    verification_uri_complete: devicePageUrl(issuer, userCode),
    expires_in: DEVICE_CODE_LIFETIME_MS / 1000,
    interval: DEVICE_POLL_SECONDS,
  };
};

/** The discovery document, which names only what works. `scopes` are those of the modules. */
export const toDiscoveryView = (issuer: string, scopes: readonly string[]) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  end_session_endpoint: `${issuer}/end_session`,
  token_endpoint: `${issuer}/oauth/token`,
  device_authorization_endpoint: `${issuer}${DEVICE_PATH}`,
  introspection_endpoint: `${issuer}/oauth/introspect`,
  userinfo_endpoint: `${issuer}/userinfo`,
  revocation_endpoint: `${issuer}/revoke`,
  jwks_uri: `${issuer}/keys`,
  scopes_supported: [...new Set([...STANDARD_SCOPES, ...scopes])],
  response_types_supported: ["code"],
  response_modes_supported: ["query", "fragment"],
  grant_types_supported: [...GRANT_TYPES],
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

/** The discovery document of the membership service, whose issuer is the public URL. Its endpoints are those of the issuer of the API. */
export function toMembershipDiscoveryView(issuer: string) {
  const { revocation_endpoint, jwks_uri, ...document } = toDiscoveryView(issuer, []);
  return {
    issuer: baseOfIssuer(issuer),
    token_endpoint: document.token_endpoint,
    device_authorization_endpoint: document.device_authorization_endpoint,
    userinfo_endpoint: `${baseOfIssuer(issuer)}/userinfo`,
    revocation_endpoint,
    jwks_uri,
    scopes_supported: ["openid", "offline_access", ...STACK_ACCESSES],
    response_types_supported: [],
    grant_types_supported: GRANT_TYPES.filter((type) => type !== "authorization_code"),
    subject_types_supported: document.subject_types_supported,
    id_token_signing_alg_values_supported: document.id_token_signing_alg_values_supported,
    token_endpoint_auth_methods_supported: document.token_endpoint_auth_methods_supported,
    revocation_endpoint_auth_methods_supported: document.revocation_endpoint_auth_methods_supported,
    claims_supported: [...CLAIMS.filter((claim) => !NO_CLAIMS_OF_DEVICES.has(claim)), "org"],
  };
}

/** The claims of ID tokens and of the userinfo endpoint. */
const CLAIMS =
  "iss sub aud exp iat auth_time nonce at_hash c_hash azp client_id name email email_verified".split(
    " ",
  );

/** The claims that neither an ID token of the membership service nor its userinfo endpoint has. */
const NO_CLAIMS_OF_DEVICES = new Set(["nonce", "c_hash", "name", "email_verified"]);
