import type { GrantHandler, GrantPorts } from "./grant-handler.ts";
import type { IssuedTokens } from "./requests.ts";
import { CLIENT_TOKEN_SECONDS } from "./token-signer.ts";
import type { Credential } from "#modules/auth/core/client.ts";
import {
  parseStackResource,
  scopesOfStack,
  UNKNOWN_RESOURCE,
} from "#modules/auth/core/membership.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { grantScopes } from "#modules/auth/core/scopes.ts";

/**
 * A token for a client that acts for itself (RFC 6749 §4.4). Scopes that the client may not have are left out. A request whose
 * `scope` is absent or empty gets all of them (§3.3). With the stack as `resource`, the token is a stack token.
 */
export const clientCredentials: GrantHandler = async (request, ports) => {
  const { clients, signer } = ports;
  const client = await clients.authenticate(request, { allowsPublic: false });
  if (client.public) throw new OAuthError("unauthorized_client");
  const { issuer, form } = request;
  const { scope: requested = "", resource = "" } = form;
  if (resource !== "") return stackTokenOf(client, ports, { issuer, resource });
  const { clientId, ledgers } = client;
  const scope = grantScopes(requested === "" ? client.scopes.join(" ") : requested, client.scopes);
  return {
    accessToken: await signer.signAccessToken(
      { issuer, clientId, scope, ledgers },
      CLIENT_TOKEN_SECONDS,
    ),
    expiresInSeconds: CLIENT_TOKEN_SECONDS,
    scope: scope === requested ? undefined : scope,
  };
};

/** A stack token for a client: with the scopes of the client behind what the resource asks for. */
async function stackTokenOf(
  { clientId, scopes, ledgers }: Credential,
  { signer }: GrantPorts,
  { issuer, resource }: { readonly issuer: string; readonly resource: string },
): Promise<IssuedTokens> {
  const accesses = parseStackResource(resource);
  if (accesses === undefined) throw new OAuthError("invalid_target", UNKNOWN_RESOURCE);
  const scope = scopesOfStack(accesses, scopes).join(" ");
  return {
    accessToken: await signer.signMembershipToken(
      { kind: "stack", issuer, clientId, scope, ledgers },
      CLIENT_TOKEN_SECONDS,
    ),
    expiresInSeconds: CLIENT_TOKEN_SECONDS,
    scope,
  };
}
