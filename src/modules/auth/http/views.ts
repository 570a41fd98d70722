import { STANDARD_SCOPES } from "#modules/auth/core/authorize-request.ts";
import type { Client, ClientSecret } from "#modules/auth/core/client.ts";
import {
  CLIENT_AUTHENTICATION_METHODS,
  GRANT_TYPES,
  type IssuedToken,
} from "#modules/auth/token-service.ts";

export function toClientView(client: Client) {
  return {
    public: client.public,
    redirectUris: [...client.redirectUris],
    description: client.description,
    name: client.name,
    postLogoutRedirectUris: [...client.postLogoutRedirectUris],
    metadata: client.metadata,
    trusted: client.trusted,
    scopes: [...client.scopes],
    id: client.id,
    secrets: client.secrets.map(toSecretView),
  };
}

/** A secret with its clear text, for the one answer that shows it. */
export const toCreatedSecretView = ({
  secret,
  clear,
}: {
  secret: ClientSecret;
  clear: string;
}) => ({
  id: secret.id,
  lastDigits: secret.lastDigits,
  name: secret.name,
  clear,
});

export const toTokenView = ({ accessToken, expiresInSeconds, scope }: IssuedToken) => ({
  access_token: accessToken,
  token_type: "Bearer" as const,
  expires_in: expiresInSeconds,
  ...(scope === undefined ? {} : { scope }),
});

/** The discovery document names what works and nothing else. */
export const toDiscoveryView = (issuer: string, scopes: readonly string[]) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  end_session_endpoint: `${issuer}/end_session`,
  token_endpoint: `${issuer}/oauth/token`,
  jwks_uri: `${issuer}/keys`,
  scopes_supported: [...new Set([...STANDARD_SCOPES, ...scopes])],
  response_types_supported: ["code"],
  response_modes_supported: ["query", "fragment"],
  code_challenge_methods_supported: ["S256"],
  prompt_values_supported: ["none", "login", "consent", "select_account"],
  authorization_response_iss_parameter_supported: true,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  ui_locales_supported: ["en"],
  grant_types_supported: [...GRANT_TYPES],
  token_endpoint_auth_methods_supported: [...CLIENT_AUTHENTICATION_METHODS],
});

const toSecretView = ({ id, lastDigits, name, metadata }: ClientSecret) => ({
  id,
  lastDigits,
  name,
  metadata,
});
