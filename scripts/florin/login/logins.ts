import type { LoginStore, StoredLogin } from "./login-store.ts";
import { OAuthServer, RefusedError, type TokenSet } from "./oauth.ts";
import type { ApiAccess } from "#scripts/lib/api.ts";
import { commandOf } from "#scripts/lib/place.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** How long before its end an access token is no longer used, in milliseconds. */
const SPARE_MS = 30_000;

/** A login with new tokens. */
export const loginWith = (person: string, tokens: TokenSet, nowMs: number): StoredLogin => ({
  person,
  scopes: tokens.scope.split(" "),
  accessToken: tokens.access_token,
  expiresMs: nowMs + tokens.expires_in * 1000,
  refreshToken: tokens.refresh_token,
});

/** What the access by a login needs. */
export interface LoginPorts {
  readonly store: LoginStore;
  readonly server?: Pick<OAuthServer, "refresh">;
  readonly nowMs?: () => number;
}

/**
 * The access of a person who is logged in at a server. An access token that has ended, or that the server refuses, is replaced by means of the
 * refresh token. The server takes a refresh token once, so one program at a time refreshes, and the others find what it has stored.
 */
export function accessOfLogin(url: string, ports: LoginPorts): ApiAccess {
  const { store, server = new OAuthServer(url), nowMs = Date.now } = ports;
  const isUsable = (login: StoredLogin, refused: string | undefined): boolean =>
    login.accessToken !== refused && nowMs() < login.expiresMs - SPARE_MS;
  return {
    url,
    token: async (scopes, refused) => {
      const present = store.find(url);
      if (present === undefined) throw loggedOut(url);
      assertScopes(url, present, scopes);
      if (isUsable(present, refused)) return present.accessToken;
      let end: OperatorError | undefined;
      const next = await store.update(url, async (login) => {
        if (login === undefined || isUsable(login, refused)) return login;
        try {
          const tokens = await server.refresh(login.refreshToken);
          return loginWith(login.person, tokens, nowMs());
        } catch (error) {
          if (!(error instanceof RefusedError) || error.status !== BAD_REQUEST) throw error;
          end = ended(url, error);
          return undefined;
        }
      });
      if (end !== undefined) throw end;
      if (next === undefined) throw loggedOut(url);
      assertScopes(url, next, scopes);
      return next.accessToken;
    },
  };
}

const BAD_REQUEST = 400;

/** The command that logs in at a server. */
export const loginCommand = (url: string): string =>
  `\`${commandOf("florin", `login --url ${url}`)}\``;

const loggedOut = (url: string): OperatorError =>
  new OperatorError(`Nobody is logged in at ${url}. Log in with ${loginCommand(url)}.`);

const ended = (url: string, cause: Error): OperatorError =>
  new OperatorError(`The login at ${url} has ended. Log in again with ${loginCommand(url)}.`, {
    cause,
  });

/** Throws `OperatorError` if a login has not all scopes. A scope `:write` includes `:read`. */
function assertScopes(url: string, login: StoredLogin, scopes: readonly string[]): void {
  const lacking = scopes.filter(
    (scope) =>
      !login.scopes.includes(scope) && !login.scopes.includes(scope.replace(/:read$/, ":write")),
  );
  if (lacking.length === 0) return;
  throw new OperatorError(
    `The login of ${login.person} at ${url} has no ${lacking.join(", no ")}. If the person may have it, log in again with ${loginCommand(url)}.`,
  );
}
