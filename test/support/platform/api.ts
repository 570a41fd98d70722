import { exports } from "cloudflare:workers";
import { TEST_SETTINGS } from "./settings.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { scopesOf } from "#platform/modules/module.ts";
import { MODULES } from "#src/modules.ts";

/** The URL of the Worker under test, which gets requests through its `fetch`, without a socket. */
export const BASE_URL = "http://localhost:8787";

export interface ApiInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the request: a text is sent unchanged, other values as JSON, in which integers may be `bigint`. */
  readonly body?: unknown;
  /** The token of the request; `null` for none. By default, a token of the test client with all scopes. */
  readonly token?: string | null;
}

/** Calls the Worker with a path such as `/api/ledger/v2`. */
export async function api(path: string, init: ApiInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const bearer = init.token === undefined ? await token() : init.token;
  if (bearer !== null) headers.set("authorization", `Bearer ${bearer}`);
  const isJson = init.body !== undefined && typeof init.body !== "string";
  if (isJson && !headers.has("content-type")) headers.set("content-type", "application/json");
  return send(path, {
    method: init.method ?? (init.body === undefined ? "GET" : "POST"),
    headers,
    redirect: "manual",
    ...(init.body === undefined ? {} : { body: toBody(init.body) }),
  });
}

/** The parsed body of an answer, in which integers above 2^53 are `bigint`. */
export async function bodyOf(response: Response): Promise<unknown> {
  return parseJson(await response.text());
}

/** The scopes of all modules. */
export const ALL_SCOPES: readonly string[] = Object.keys(scopesOf(MODULES));

/** An access token of the test client with the given scopes, by default all scopes. */
export async function token(...scopes: readonly string[]): Promise<string> {
  const key = (scopes.length === 0 ? ALL_SCOPES : scopes).join(" ");
  const known = tokens.get(key) ?? requestToken(key);
  tokens.set(key, known);
  return known;
}

/** A name that no other test uses. */
export const freshName = (prefix = "test"): string =>
  `${prefix}-${crypto.randomUUID().slice(0, 13)}`;

/** Sends a request to the Worker without a token. */
export const send = (path: string, init?: RequestInit): Promise<Response> =>
  exports.default.fetch(new URL(path, BASE_URL), init);

const tokens = new Map<string, Promise<string>>();

async function requestToken(scope: string): Promise<string> {
  const response = await send("/api/auth/oauth/token", {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: TEST_SETTINGS.FLORIN_CLIENT_ID,
      client_secret: TEST_SETTINGS.FLORIN_CLIENT_SECRET,
      scope,
    }),
  });
  if (response.status !== 200) throw new Error(`no token: ${await response.text()}`);
  const { access_token: accessToken } = await response.json<{ access_token: string }>();
  return accessToken;
}

const toBody = (body: unknown): string => (typeof body === "string" ? body : stringifyJson(body));
