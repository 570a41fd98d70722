import { currentPermissions } from "./current-permissions.ts";
import type { GrantHandler } from "./grant-handler.ts";
import { WRONG_CLIENT } from "./grant-handler.ts";
import { issuePersonTokens } from "./person-tokens.ts";
import { FCTL_CLIENT_ID } from "#modules/auth/core/membership.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { redeemCode } from "#modules/auth/grants/authorization-codes.ts";

/** Tokens for the code that a client got from the authorization endpoint (RFC 6749 §4.1.3, RFC 7636). */
export const authorizationCode: GrantHandler = async (request, ports) => {
  const { code = "", redirect_uri: redirectUri, code_verifier: codeVerifier } = request.form;
  if (code === "") throw new OAuthError("invalid_request", "code missing");
  const proof = { allowsPublic: true, description: WRONG_CLIENT };
  const client = await ports.clients.authenticate(request, proof);
  if (client.clientId === FCTL_CLIENT_ID) {
    throw new OAuthError("unauthorized_client", "the client logs in by device codes only");
  }
  await ports.signer.prepare();
  const { clientId, public: isPublic } = client;
  const redemption = { code, clientId, isPublic, redirectUri, codeVerifier };
  const grant = await redeemCode(ports.context, redemption);
  const permissions = await currentPermissions(ports.context, client, grant);
  return issuePersonTokens(request, ports, { grant, client, permissions, code });
};
