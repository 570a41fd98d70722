import { commandOf, HOME } from "./place.ts";
import { OperatorError } from "./project.ts";
import { findServer, statePath } from "./state.ts";

/** The server of a script, and a client with all scopes. */
export interface Target {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The server that `FLORIN_URL` names, or else the server on the state folder. Throws `OperatorError` if neither exists. */
export function findTarget(env: NodeJS.ProcessEnv): Target {
  const { FLORIN_URL: url, FLORIN_CLIENT_ID: clientId, FLORIN_CLIENT_SECRET: clientSecret } = env;
  if (!url) return runningServer(env);
  if (!URL.canParse(url))
    throw new OperatorError(`FLORIN_URL is ${JSON.stringify(url)}. It takes a URL.`);
  if (!clientId || !clientSecret) {
    throw new OperatorError(
      "FLORIN_URL needs FLORIN_CLIENT_ID and FLORIN_CLIENT_SECRET next to it.",
    );
  }
  return { url: new URL(url).origin, clientId, clientSecret };
}

function runningServer(env: NodeJS.ProcessEnv): Target {
  const path = statePath(env, HOME);
  const server = findServer(path);
  if (server !== undefined) return server;
  throw new OperatorError(
    `No server runs on the state folder ${path}. Start one with \`${commandOf("start")}\` in another terminal, or name one with FLORIN_URL, FLORIN_CLIENT_ID and FLORIN_CLIENT_SECRET.`,
  );
}
