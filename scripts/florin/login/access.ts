import { LoginStore } from "./login-store.ts";
import { accessOfLogin, loginCommand } from "./logins.ts";
import { isLoopbackHost } from "#platform/http/loopback.ts";
import { accessOfClient, type ApiAccess } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";
import { findTarget } from "#scripts/lib/target.ts";

/**
 * The server of a command, and its tokens.
 *
 *     --url, or else FLORIN_URL ─► that server ─┬─ FLORIN_TOKEN
 *                                               ├─ FLORIN_CLIENT_ID and FLORIN_CLIENT_SECRET
 *                                               └─ the login at this server
 *     neither                   ─► the server that runs on the state folder, with its own client
 *
 * What the environment has belongs to FLORIN_URL: where that names another server than `--url`, no token and no secret of the environment is
 * sent to the latter, and a client only where FLORIN_URL names its server. Throws `OperatorError` where there is no server, or no way to get a token.
 */
export function findAccess(env: NodeJS.ProcessEnv, option: string | undefined): ApiAccess {
  const { FLORIN_URL: named, FLORIN_TOKEN: token } = env;
  const { FLORIN_CLIENT_ID: clientId, FLORIN_CLIENT_SECRET: clientSecret } = env;
  if (option === undefined && !named) return accessOfClient(findTarget(env));
  const url = serverUrl(option ?? named ?? "", option === undefined ? "FLORIN_URL" : "--url");
  const isNamed = named !== undefined && URL.canParse(named) && new URL(named).origin === url;
  if ((isNamed || !named) && token) return accessOfToken(url, token);
  // Without FLORIN_URL, the client may be that of a server that is started here, to which `npm start` gives the same variables.
  if (isNamed && clientId && clientSecret) {
    return accessOfClient({ url, clientId, clientSecret });
  }
  const store = LoginStore.of(env);
  if (store.find(url) !== undefined) return accessOfLogin(url, { store });
  throw new OperatorError(
    `Nobody is logged in at ${url}. Log in with ${loginCommand(url)}, or set FLORIN_TOKEN, or FLORIN_URL with FLORIN_CLIENT_ID and FLORIN_CLIENT_SECRET.`,
  );
}

/** The origin of the server of a command, as `findAccess` chooses it, for calls that carry a token of their own. */
export function findServerUrl(env: NodeJS.ProcessEnv, option: string | undefined): string {
  const { FLORIN_URL: named } = env;
  if (option === undefined && !named) return new URL(findTarget(env).url).origin;
  return serverUrl(option ?? named ?? "", option === undefined ? "FLORIN_URL" : "--url");
}

/** The secret of the client that a command has for its server, as `findAccess` chooses it; undefined for a token or a login. */
export function findClientSecret(
  env: NodeJS.ProcessEnv,
  option: string | undefined,
): string | undefined {
  const { FLORIN_URL: named, FLORIN_CLIENT_ID: clientId, FLORIN_CLIENT_SECRET: secret } = env;
  if (option === undefined && !named) return findTarget(env).clientSecret;
  const url = findServerUrl(env, option);
  const isNamed = named !== undefined && URL.canParse(named) && new URL(named).origin === url;
  return isNamed && clientId && secret ? secret : undefined;
}

/**
 * The origin of a server's URL. Throws `OperatorError` for a text that is no URL, and for one over which a token would go in the clear to
 * another machine.
 */
export function serverUrl(text: string, name: string): string {
  if (!URL.canParse(text)) {
    throw new OperatorError(
      `${name} is ${JSON.stringify(text)}. It takes a URL such as https://pay.example.com.`,
    );
  }
  const { protocol, hostname, origin } = new URL(text);
  if (protocol === "https:") return origin;
  if (protocol === "http:" && isLoopbackHost(hostname)) return origin;
  throw new OperatorError(
    `${name} is ${text}. It takes an https URL, because tokens go there; http is for this machine only.`,
  );
}

const accessOfToken = (url: string, token: string): ApiAccess => ({
  url,
  token: async (_scopes, refused) => {
    if (refused === undefined) return token;
    throw new OperatorError(`${url} does not take the token of FLORIN_TOKEN, or no longer.`);
  },
});
