import { AuthStore } from "./store.ts";
import { FULL_AUTHORITY } from "#modules/auth/core/authority.ts";
import type { Client } from "#modules/auth/core/client.ts";
import { CONSOLE_CLIENT_ID, consoleCallbackUrl, consoleUrl } from "#modules/auth/core/console.ts";
import { knownScopes } from "#platform/access/known-scopes.ts";

/**
 * The client with an id: the console's own one, which no table holds, or a stored one. A row that an earlier release has stored under the
 * id of the console's client is no client any more. Without an `issuer`, the console's client has no redirect URIs.
 */
export async function findClient(
  env: Pick<Env, "DB">,
  id: string,
  issuer?: string,
): Promise<Client | undefined> {
  return id === CONSOLE_CLIENT_ID ? consoleClient(issuer) : new AuthStore(env).findClient(id);
}

/**
 * The console's own client. It may have all scopes, so that a person's scopes alone limit the person's tokens. It is public and has no
 * secret, so it gets no token for itself.
 */
function consoleClient(issuer: string | undefined): Client {
  const redirectUris = issuer === undefined ? [] : [consoleCallbackUrl(issuer)];
  return {
    id: CONSOLE_CLIENT_ID,
    name: "Florin console",
    description: "The console of this server",
    public: true,
    trusted: false,
    redirectUris,
    postLogoutRedirectUris: issuer === undefined ? [] : [consoleUrl(issuer)],
    scopes: knownScopes(),
    metadata: {},
    secrets: [],
    hasAllScopes: true,
    redirectUriMakers: new Map(redirectUris.map((uri) => [uri, FULL_AUTHORITY])),
    version: "",
  };
}
