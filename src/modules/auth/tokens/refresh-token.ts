import { currentPermissions } from "./current-permissions.ts";
import type { GrantHandler } from "./grant-handler.ts";
import { WRONG_CLIENT } from "./grant-handler.ts";
import { issuePersonTokens } from "./person-tokens.ts";
import { FCTL_CLIENT_ID } from "#modules/auth/core/membership.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { splitScopes } from "#modules/auth/core/scopes.ts";
import { findRefreshToken, rotateRefreshToken } from "#modules/auth/grants/refresh-tokens.ts";

/**
 * New tokens without the person, for a refresh token (RFC 6749 §6). Each refresh token is used once. The client may ask for fewer
 * scopes, which affects this access token only.
 */
export const refreshToken: GrantHandler = async (request, ports) => {
  const { refresh_token: token = "", scope: requested = "" } = request.form;
  if (token === "") throw new OAuthError("invalid_request", "refresh_token missing");
  const proof = { allowsPublic: true, description: WRONG_CLIENT };
  const client = await ports.clients.authenticate(request, proof);
  await ports.signer.prepare();
  const found = await findRefreshToken(ports.context, token, client.clientId);
  if (client.clientId === FCTL_CLIENT_ID && found.grant.membership === null) {
    // An operator's own client of an earlier release had this id. Its logins are none of the client that is built in.
    throw new OAuthError("invalid_grant", "invalid refresh token");
  }
  const granted = splitScopes(found.grant.scopes);
  const wanted = splitScopes(requested);
  if (![...wanted].every((scope) => granted.has(scope))) throw new OAuthError("invalid_scope");
  const permissions = await currentPermissions(ports.context, client, {
    subject: found.grant.subject,
    scopes: [...(wanted.size === 0 ? granted : wanted)],
  });
  const grant = await rotateRefreshToken(ports.context, found);
  return issuePersonTokens(request, ports, { grant, client, permissions });
};
