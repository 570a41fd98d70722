import type { GrantHandler } from "./grant-handler.ts";
import { CLIENT_TOKEN_SECONDS } from "./token-signer.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { grantScopes } from "#modules/auth/core/scopes.ts";

/** A token for a client that acts for itself (RFC 6749 §4.4). Scopes that the client may not have are left out. */
export const clientCredentials: GrantHandler = async (request, { clients, signer }) => {
  const client = await clients.authenticate(request, { allowsPublic: false });
  if (client.public) throw new OAuthError("unauthorized_client");
  const { issuer, form } = request;
  const { scope: requested = "" } = form;
  const { clientId, ledgers } = client;
  const scope = grantScopes(requested, client.scopes);
  return {
    accessToken: await signer.signAccessToken(
      { issuer, clientId, scope, ledgers },
      CLIENT_TOKEN_SECONDS,
    ),
    expiresInSeconds: CLIENT_TOKEN_SECONDS,
    scope: scope === requested ? undefined : scope,
  };
};
