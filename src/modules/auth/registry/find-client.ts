import { AuthStore } from "./store.ts";
import { FULL_AUTHORITY } from "#modules/auth/core/authority.ts";
import {
  type BuiltInClientId,
  COMMAND_LINE_CLIENT_ID,
  isBuiltIn,
} from "#modules/auth/core/built-in-clients.ts";
import type { Client } from "#modules/auth/core/client.ts";
import { CONSOLE_CLIENT_ID, consoleCallbackUrl, consoleUrl } from "#modules/auth/core/console.ts";
import { DEVICE_LOGIN_KEY } from "#modules/auth/core/device-clients.ts";
import { FCTL_CLIENT_ID } from "#modules/auth/core/membership.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { knownScopes } from "#platform/access/known-scopes.ts";

/**
 * The client with an id: one that is built in, which no table holds, or a stored one. A row that an earlier release has stored under the
 * id of such a client is no client any more. Without an `issuer`, the console's client has no redirect URIs. The settings may turn the clients
 * of the two command lines off; there are none with their ids then.
 */
export async function findClient(
  env: Pick<Env, "DB">,
  id: string,
  issuer?: string,
): Promise<Client | undefined> {
  return isBuiltIn(id) ? BUILT_IN[id](env, issuer) : new AuthStore(env).findClient(id);
}

const BUILT_IN: Readonly<
  Record<BuiltInClientId, (env: object, issuer: string | undefined) => Client | undefined>
> = {
  [CONSOLE_CLIENT_ID]: (_, issuer) => consoleClient(issuer),
  [FCTL_CLIENT_ID]: (env) => deviceClient(env, FCTL_CLIENT_ID, "Formance's command line"),
  [COMMAND_LINE_CLIENT_ID]: (env) =>
    deviceClient(env, COMMAND_LINE_CLIENT_ID, "Florin's command line"),
};

/**
 * The console's own client. It may have all scopes, so that a person's scopes alone limit the person's tokens. It is public and has no
 * secret, so it gets no token for itself.
 */
function consoleClient(issuer: string | undefined): Client {
  const redirectUris = issuer === undefined ? [] : [consoleCallbackUrl(issuer)];
  return {
    ...publicClient(CONSOLE_CLIENT_ID),
    name: "Florin console",
    description: "The console of this server",
    redirectUris,
    postLogoutRedirectUris: issuer === undefined ? [] : [consoleUrl(issuer)],
    redirectUriMakers: new Map(redirectUris.map((uri) => [uri, FULL_AUTHORITY])),
  };
}

/** The client of a command line, which people log in to by device codes only; undefined where the settings turn such logins off. */
function deviceClient(env: object, id: BuiltInClientId, name: string): Client | undefined {
  if (authSettings.of(env).FLORIN_DEVICE_LOGINS === "off") return undefined;
  return {
    ...publicClient(id),
    name,
    description: name,
    metadata: { [DEVICE_LOGIN_KEY]: "true" },
  };
}

/** A client that is built in: public, without secrets and redirect URIs, with all scopes. */
const publicClient = (id: string): Client => ({
  id,
  name: "",
  description: "",
  public: true,
  trusted: false,
  redirectUris: [],
  postLogoutRedirectUris: [],
  scopes: knownScopes(),
  metadata: {},
  secrets: [],
  hasAllScopes: true,
  redirectUriMakers: new Map(),
  version: "",
});
