import { AuthStore } from "./store.ts";
import { FULL_AUTHORITY } from "#modules/auth/core/authority.ts";
import { type BuiltInClientId, isBuiltIn } from "#modules/auth/core/built-in-clients.ts";
import type { Client } from "#modules/auth/core/client.ts";
import { CONSOLE_CLIENT_ID, consoleCallbackUrl, consoleUrl } from "#modules/auth/core/console.ts";
import { DEVICE_LOGIN_KEY } from "#modules/auth/core/device-clients.ts";
import { FCTL_CLIENT_ID } from "#modules/auth/core/membership.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { knownScopes } from "#platform/access/known-scopes.ts";

/**
 * The client with an id: one that is built in, which no table holds, or a stored one. A row that an earlier release has stored under the
 * id of such a client is no client any more. Without an `issuer`, the console's client has no redirect URIs. The settings may turn the command
 * line's client off; there is none with its id then.
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
  [FCTL_CLIENT_ID]: (env) =>
    authSettings.of(env).FLORIN_DEVICE_LOGINS === "off" ? undefined : fctlClient(),
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

/** Formance's command line, which people log in to by device codes only. */
const fctlClient = (): Client => ({
  ...publicClient(FCTL_CLIENT_ID),
  name: "Formance's command line",
  description: "Formance's command line",
  metadata: { [DEVICE_LOGIN_KEY]: "true" },
});

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
