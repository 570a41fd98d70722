import { isIP } from "node:net";
import { SETTING_NAMES, SETTING_TABLES } from "./tables.ts";
import { isLoopbackHost } from "#platform/http/loopback.ts";
import { assertSettings } from "#platform/settings.ts";
import { HOME } from "#scripts/lib/place.ts";
import { OperatorError } from "#scripts/lib/project.ts";
import { type LocalSecrets, type ServerAddress, statePath } from "#scripts/lib/state.ts";

/** The settings of a local server, read from its environment before the server starts. */
export interface LocalSettings {
  /** The address on which the server listens. */
  readonly host: string;
  readonly port: number;
  readonly statePath: string;
  /** The Worker variables, in which the secrets of the state folder complete those of the environment. */
  readonly varsWith: (secrets: LocalSecrets) => Readonly<Record<string, string>>;
}

/** Reads and checks the settings. Throws `SettingsError` or `OperatorError` with a sentence for each wrong setting. */
export function readLocalSettings(env: NodeJS.ProcessEnv): LocalSettings {
  assertSettings(SETTING_TABLES, localVars(env, STAND_IN));
  return {
    host: readHost(env),
    port: readPort(env["PORT"]),
    statePath: statePath(env, HOME),
    varsWith: (secrets) => localVars(env, secrets),
  };
}

/** A sentence for each variable that looks like a setting of Florin and is none, so that a mistyped name is seen. */
export const unknownSettings = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith("FLORIN_") && !KNOWN.has(name))
    .toSorted()
    .map((name) => `${name} is no setting of Florin and has no effect; docs/settings.md has all.`);

/** Variables of the commands that are no settings of the Worker. */
const OF_COMMANDS = ["FLORIN_STATE_DIR", "FLORIN_TOKEN", "FLORIN_URL"];

const KNOWN: ReadonlySet<string> = new Set([...SETTING_NAMES, ...OF_COMMANDS]);

/** The address and the client of a server with variables `vars`. */
export const addressOf = (url: string, vars: Readonly<Record<string, string>>): ServerAddress => ({
  url,
  clientId: vars["FLORIN_CLIENT_ID"] ?? "",
  clientSecret: vars["FLORIN_CLIENT_SECRET"] ?? "",
});

/** The URL under which this machine reaches a server that listens on an address, which may stand for all of the machine's addresses. */
export function urlOn(host: string, port: number): string {
  const reached = ANY_ADDRESS.get(host) ?? host;
  return `http://${isIP(reached) === 6 ? `[${reached}]` : reached}:${port}`;
}

const ANY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

const HOST_STANDARD = "127.0.0.1";
const PORT_STANDARD = 8787;
const PORT_MAX = 65_535;

/** Stand-ins for secrets, with which settings are checked before the state folder is opened. */
const STAND_IN: LocalSecrets = {
  clientId: "stand-in",
  clientSecret: "stand-in-for-a-secret",
  secretKey: Buffer.alloc(32).toString("base64"),
};

/** Reads the address to listen on. Throws `OperatorError` for an address that others reach, if the URL under which they do is not set, or authentication is off. */
function readHost(env: NodeJS.ProcessEnv): string {
  const host = env["HOST"] || HOST_STANDARD;
  if (isIP(host) === 0) {
    throw new OperatorError(
      `HOST is ${JSON.stringify(host)}. It takes an IP address of this machine, or 0.0.0.0 for all of them.`,
    );
  }
  if (!isLoopbackAddress(host) && !env["FLORIN_PUBLIC_URL"]) {
    throw new OperatorError(
      `With HOST=${host}, others reach the server. Set FLORIN_PUBLIC_URL to the URL under which they do, as tokens are issued in its name.`,
    );
  }
  if (!isLoopbackAddress(host) && env["FLORIN_AUTH"] === "off") {
    throw new OperatorError(
      `With HOST=${host}, others reach the server, and with FLORIN_AUTH=off everybody may do everything. Leave one of them out.`,
    );
  }
  return host;
}

const isLoopbackAddress = (host: string): boolean =>
  isLoopbackHost(isIP(host) === 6 ? `[${host}]` : host);

function readPort(text: string | undefined): number {
  if (text === undefined || text === "") return PORT_STANDARD;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= PORT_MAX) return port;
  throw new OperatorError(
    `PORT is ${JSON.stringify(text)}. It takes a number from 1 to ${PORT_MAX}, or 0 for any free port.`,
  );
}

function localVars(env: NodeJS.ProcessEnv, secrets: LocalSecrets): Record<string, string> {
  const given = Object.fromEntries(
    SETTING_NAMES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  // Id and secret belong together: an id from the environment and a secret from the state folder would make an unknown client.
  const ownClient = given["FLORIN_CLIENT_ID"] ?? given["FLORIN_CLIENT_SECRET"];
  return {
    FLORIN_SECRET_KEY: secrets.secretKey,
    // On loopback, only this machine's own programs could have the server call other programs of its network.
    FLORIN_ALLOW_PRIVATE_HOSTS: String(isLoopbackAddress(env["HOST"] || HOST_STANDARD)),
    ...(ownClient === undefined
      ? { FLORIN_CLIENT_ID: secrets.clientId, FLORIN_CLIENT_SECRET: secrets.clientSecret }
      : {}),
    ...given,
    FLORIN_LOCAL: "true",
  };
}
