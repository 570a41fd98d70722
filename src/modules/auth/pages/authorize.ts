import type { OpenAPIHono } from "@hono/zod-openapi";
import { sendToLogin } from "./begin-login.ts";
import { readCookie } from "./browser.ts";
import { devicePageUrl } from "./device.ts";
import { type PageAnswer, type PageRequest, registerFormAsLink, registerPage } from "./register.ts";
import { finishUpstream } from "./upstream.ts";
import { readIdTokenHint } from "#modules/auth/authorize/id-token-hint.ts";
import { asCodeCause, endLogin, readLogin } from "#modules/auth/authorize/logins.ts";
import {
  answerUrl,
  type AnswerTarget,
  isRedirectTarget,
} from "#modules/auth/core/authorize-answer.ts";
import {
  AuthorizeError,
  type AuthorizeErrorCode,
  type AuthorizeRequest,
  grantableScopes,
  parseAuthorizeRequest,
  readAnswerTarget,
} from "#modules/auth/core/authorize-request.ts";
import type { Client } from "#modules/auth/core/client.ts";
import { isDeviceLogin } from "#modules/auth/core/login-request.ts";
import { toDescription } from "#modules/auth/core/oauth-error.ts";
import { issueCode } from "#modules/auth/grants/authorization-codes.ts";
import type { CodeCause } from "#modules/auth/grants/grant-store.ts";
import { findPerson } from "#modules/auth/people/find-person.ts";
import { type BrowserSession, findSession, sessionExists } from "#modules/auth/people/sessions.ts";
import { findClient } from "#modules/auth/registry/find-client.ts";
import { UpstreamProvider } from "#modules/auth/upstream/provider.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { toMillis } from "#platform/time.ts";

const PATH = "/authorize";

/**
 * Registers the authorization endpoint (RFC 6749, section 3.1), for links and forms, and the page to which a browser returns after a login. A
 * login is answered once; a second answer is refused.
 */
export function registerAuthorize(app: OpenAPIHono<AppEnv>): void {
  registerPage(app, { method: "GET", path: PATH }, authorize);
  registerFormAsLink(app, PATH);
  registerPage(app, { method: "GET", path: `${PATH}/callback` }, comeBack);
}

/**
 * Answers a request for a code. Until the redirect URI is known to belong to the client, errors are shown to the person only. A
 * redirect to an unregistered URI would let anybody use this server's name for links to anywhere.
 */
async function authorize(page: PageRequest): Promise<PageAnswer> {
  const { params, issuer } = page;
  const clientId = onlyValue(params, "client_id");
  const redirectUri = onlyValue(params, "redirect_uri");
  if (clientId === undefined) return refusal("auth request is missing client_id");
  if (redirectUri === undefined) return refusal("auth request is missing redirect_uri");
  const client = await findRegistered(page, clientId, redirectUri);
  if (typeof client === "string") return refusal(client);
  try {
    const request = parseAuthorizeRequest(params, { client, redirectUri });
    return await logIn(page, request);
  } catch (error) {
    if (!(error instanceof AuthorizeError)) throw error;
    return toError(readAnswerTarget(params, redirectUri), error, issuer);
  }
}

/** The client for which a redirect URI is registered, or the reason why there is none. */
async function findRegistered(
  { context: { env }, issuer }: PageRequest,
  id: string,
  uri: string,
): Promise<Client | string> {
  const client = await findClient(env, id, issuer);
  if (client === undefined) return "unable to retrieve client by id";
  if (client.redirectUris.includes(uri) && isRedirectTarget(uri)) return client;
  return "the redirect_uri is not one of those that are registered for the client";
}

/** Continues with the browser's session if it suffices for the request, and with a login otherwise. */
async function logIn(page: PageRequest, request: AuthorizeRequest): Promise<PageAnswer> {
  const { c, context, issuer } = page;
  const subject = await hintedSubject(page, request);
  const cookie = readCookie(c, "florin-session", issuer) ?? "";
  const session = await findSession(context, cookie);
  const nowMs = toMillis(context.clock());
  if (session !== undefined && suffices(session, { request, subject, nowMs })) {
    const cause = { condition: sessionExists(cookie) };
    return toCode(page, { request, session, cause });
  }
  if (request.prompts.includes("none")) {
    throw new AuthorizeError("login_required", "nobody is logged in who meets the request");
  }
  return sendToLogin(page, request);
}

/** The person that the client expects, named by an ID token of this server. Throws `AuthorizeError` for any other hint. */
async function hintedSubject(
  { context, issuer }: Pick<PageRequest, "context" | "issuer">,
  { idTokenHint, clientId }: AuthorizeRequest,
): Promise<string | undefined> {
  if (idTokenHint === undefined) return undefined;
  const hint = await readIdTokenHint(context, idTokenHint, issuer);
  if (hint?.clientId === clientId) return hint.subject;
  throw new AuthorizeError("login_required", "id_token_hint is not an ID token of this client");
}

function suffices(
  { person, authenticatedAt }: BrowserSession,
  {
    request: { prompts, maxAgeSeconds },
    subject,
    nowMs,
  }: { request: AuthorizeRequest; subject: string | undefined; nowMs: number },
): boolean {
  if (prompts.includes("login") || prompts.includes("select_account")) return false;
  if (subject !== undefined && subject !== person.id) return false;
  return maxAgeSeconds === undefined || nowMs - toMillis(authenticatedAt) <= maxAgeSeconds * 1000;
}

/** Handles a browser that returns from our own login page (`id`) or from the provider (`code`, `state`). */
async function comeBack(page: PageRequest): Promise<PageAnswer> {
  const provider = UpstreamProvider.of(page.context.env);
  if (provider === undefined || page.params.has("id")) return finish(page);
  return finishUpstream(page, provider);
}

/** Answers the request of a login, once, with a code or an error. */
async function finish(page: PageRequest): Promise<PageAnswer> {
  const { c, context, issuer, params } = page;
  const key = {
    id: params.get("id") ?? "",
    browser: readCookie(c, "florin-browser", issuer) ?? "",
  };
  const login = await readLogin(context, key);
  if (login === undefined) return refusal(UNKNOWN_LOGIN);
  const { request, loggedIn } = login;
  if (isDeviceLogin(request)) {
    if (loggedIn === undefined) return refusal("nobody has logged in");
    await endLogin(context, key);
    return { kind: "redirect", to: devicePageUrl(issuer, request.userCode) };
  }
  const client = await findRegistered(page, request.clientId, request.redirectUri);
  try {
    if (typeof client === "string") return refusal(client);
    const person = loggedIn && (await findPerson(context, loggedIn.personId));
    if (person === undefined || loggedIn === undefined) {
      throw new AuthorizeError("interaction_required", "nobody has logged in");
    }
    const subject = await hintedSubject(page, request);
    if (subject !== undefined && subject !== person.id) {
      throw new AuthorizeError("login_required", "somebody else has logged in");
    }
    const session = { person, authenticatedAt: loggedIn.authenticatedAt };
    return await toCode(page, { request, session, cause: asCodeCause(context, key) });
  } catch (error) {
    if (!(error instanceof AuthorizeError)) throw error;
    if (!(await endLogin(context, key))) return refusal(UNKNOWN_LOGIN);
    return toError(request, error, issuer);
  }
}

const UNKNOWN_LOGIN = "the login is unknown in this browser, or has expired";

/** A request for a code, and the login that answers it. */
interface CodeAnswer {
  readonly request: AuthorizeRequest;
  readonly session: BrowserSession;
  readonly cause: CodeCause;
}

/** Sends the browser to the client with a code. Operators register clients, so no person is asked for consent. */
async function toCode(
  { context, issuer }: Pick<PageRequest, "context" | "issuer">,
  { request, session, cause }: CodeAnswer,
): Promise<PageAnswer> {
  const { person, authenticatedAt } = session;
  const wanted = {
    clientId: request.clientId,
    subject: person.id,
    redirectUri: request.redirectUri,
    scopes: grantableScopes(request.scopes, person.scopes),
    nonce: request.nonce,
    codeChallenge: request.codeChallenge,
    authTime: Math.floor(toMillis(authenticatedAt) / 1000),
  };
  const code = await issueCode(context, wanted, cause);
  if (code === undefined) return refusal("the login has ended meanwhile");
  return { kind: "redirect", to: answerUrl(request, { code }, issuer) };
}

function toError(
  target: AnswerTarget,
  { error, message }: { error: AuthorizeErrorCode; message: string },
  issuer: string,
): PageAnswer {
  const answer = { error, error_description: toDescription(message) };
  return { kind: "redirect", to: answerUrl(target, answer, issuer) };
}

const onlyValue = (params: URLSearchParams, name: string): string | undefined => {
  const [value, ...others] = params.getAll(name);
  return value === "" || others.length > 0 ? undefined : value;
};

const refusal = (text: string): PageAnswer => ({ kind: "text", status: 400, text });
