import { afterAll } from "vitest";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { ApiInit } from "#test/support/platform/api.ts";
import { freshFolder, LocalServer, type ServerClient } from "#test/support/platform/server.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";
import { findSharedServer } from "#test/support/runner/shared-server.ts";
import { QUICK_PASSWORDS } from "#test/support/runner/start-shared-server.ts";

export type { ApiInit };

/**
 * The functions of `api.ts` by HTTP, for a server that `npm start` runs. E2e tests that import `api.ts` get this file in its
 * place (`test/vitest.config.ts`), so that helpers that call the API are written once. The server is the one that the files of the
 * project share. In a project without one, a server starts with the import, and ends with the test file.
 */
const server = findSharedServer() ?? (await startOwn());

/** As in the contract tests, password hashes have the smallest cost. */
async function startOwn(): Promise<ServerClient> {
  const own = await LocalServer.start(freshFolder(), {
    FLORIN_CLIENT_ID: TEST_SETTINGS.FLORIN_CLIENT_ID,
    FLORIN_CLIENT_SECRET: TEST_SETTINGS.FLORIN_CLIENT_SECRET,
    ...QUICK_PASSWORDS,
  });
  afterAll(() => own.killAll());
  return own;
}

/** The URL has a host name, because browsers offer no passkeys for IP addresses. */
export const BASE_URL = server.url.replace("127.0.0.1", "localhost");

export const send = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(new URL(path, BASE_URL), init);

const discovery = await send("/api/auth/.well-known/openid-configuration");
const { scopes_supported: scopes } = await discovery.json<{ scopes_supported: string[] }>();
export const ALL_SCOPES: readonly string[] = scopes.filter((scope) => scope.includes(":"));

/** Calls the server with a path such as `/api/ledger/v2`. */
export async function api(path: string, init: ApiInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const bearer = init.token === undefined ? await token() : init.token;
  if (bearer !== null) headers.set("authorization", `Bearer ${bearer}`);
  if (init.body !== undefined) headers.set("content-type", "application/json");
  return send(path, {
    method: init.method ?? (init.body === undefined ? "GET" : "POST"),
    headers,
    redirect: "manual",
    ...(init.body === undefined ? {} : { body: stringifyJson(init.body) }),
  });
}

/** The parsed body of an answer, in which integers above 2^53 are `bigint`. */
export const bodyOf = async (response: Response): Promise<unknown> =>
  parseJson(await response.text());

/** An access token of the first client with the given scopes, by default all scopes. */
export function token(...wanted: readonly string[]): Promise<string> {
  const scope = (wanted.length === 0 ? ALL_SCOPES : wanted).join(" ");
  const known = tokens.get(scope) ?? requestToken(scope);
  tokens.set(scope, known);
  return known;
}

const tokens = new Map<string, Promise<string>>();

async function requestToken(scope: string): Promise<string> {
  const response = await send("/api/auth/oauth/token", {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: server.clientId,
      client_secret: server.clientSecret,
      scope,
    }),
  });
  if (response.status !== 200) throw new Error(`no token: ${await response.text()}`);
  return (await response.json<{ access_token: string }>()).access_token;
}

/** A name that no other test uses. */
export const freshName = (prefix = "test"): string =>
  `${prefix}-${crypto.randomUUID().slice(0, 13)}`;
