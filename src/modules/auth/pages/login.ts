import type { OpenAPIHono } from "@hono/zod-openapi";
import { html } from "hono/html";
import { readCookie, removeCookie, writeCookie } from "./browser.ts";
import { layout, type Markup } from "./layout.ts";
import { PageError } from "./page-error.ts";
import { type PageAnswer, type PageRequest, registerPage } from "./register.ts";
import { assertMayTry, isPasswordOf, rememberDevice } from "./typed-password.ts";
import { asLoginCause, findLogin, type LoginKey } from "#modules/auth/authorize/logins.ts";
import type { LoginRequest } from "#modules/auth/core/login-request.ts";
import { hasPasskeys } from "#modules/auth/passkeys/passkeys.ts";
import type { PasswordOwner } from "#modules/auth/people/device.ts";
import { PASSWORD_LENGTH_MAX } from "#modules/auth/people/passwords.ts";
import { beginSession, endSession, type LoggedIn } from "#modules/auth/people/sessions.ts";
import { EMAIL_LENGTH_MAX, hasPassword, PeopleStore } from "#modules/auth/people/store.ts";
import { UpstreamProvider } from "#modules/auth/upstream/provider.ts";
import { AppError } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/context.ts";

const PATH = "/login";

/** The URL of our own login page for a login. */
export const loginUrl = ({ issuer }: Pick<PageRequest, "issuer">, id: string): string =>
  `${issuer}${PATH}?request=${id}`;

/** Registers our own login page, for an e-mail address and a password. */
export function registerLogin(app: OpenAPIHono<AppEnv>): void {
  registerPage(app, { method: "GET", path: PATH }, async (page) => {
    const { key, request } = await openLogin(page);
    return {
      kind: "page",
      page: formPage({ id: key.id, issuer: page.issuer, email: request.loginHint ?? "" }),
    };
  });
  registerPage(app, { method: "POST", path: PATH }, logIn);
}

/**
 * The login that is under way in this browser at our own page. The browser's cookie proves that it has begun the login, so a
 * login of somebody else is refused. Throws `PageError`.
 */
export async function openLogin({
  c,
  context,
  issuer,
  params,
}: PageRequest): Promise<{ key: LoginKey; request: LoginRequest }> {
  if (UpstreamProvider.of(context.env) !== undefined) throw new PageError(404, ELSEWHERE);
  const browser = readCookie(c, "florin-browser", issuer) ?? "";
  const key = { id: params.get("request") ?? "", browser };
  const request = await findLogin(context, key);
  if (request !== undefined) return { key, request };
  throw new PageError(
    400,
    "This login is over or was begun in another browser. Go back to the application and log in again.",
  );
}

const ELSEWHERE = "People log in at the provider of their organisation, and not here.";

async function logIn(page: PageRequest): Promise<PageAnswer> {
  const email = page.params.get("email") ?? "";
  const form = { id: page.params.get("request") ?? "", issuer: page.issuer, email };
  try {
    if (email.length <= EMAIL_LENGTH_MAX) await assertMayTry(page, email);
    const { key } = await openLogin(page);
    const owner = await findByPassword(page, email, page.params.get("password") ?? "");
    if (owner !== undefined) return await proceed(page, key, owner);
  } catch (error) {
    if (error instanceof AppError && error.kind === "RATE_LIMITED") return waitPage(form, error);
    throw error;
  }
  const problem = "The e-mail address or the password is wrong.";
  return { kind: "page", status: 401, page: formPage({ ...form, problem }) };
}

/** The person with an e-mail address and a password; undefined if they do not match. */
async function findByPassword(
  page: PageRequest,
  email: string,
  password: string,
): Promise<PasswordOwner | undefined> {
  if (email.length > EMAIL_LENGTH_MAX) return undefined;
  const owner = await new PeopleStore(page.context.env).findLogin(email);
  return (await isPasswordOf(page, { email, password, owner })) ? owner : undefined;
}

/** The login page while passwords are refused. A passkey counts into no limit of passwords, so the page offers it. */
function waitPage(form: LoginForm, { retryAfterSeconds = 60 }: AppError): PageAnswer {
  const other = hasPasskeys(form.issuer) ? ", or log in with a passkey now" : "";
  const problem = `Too many passwords were tried. Try again in ${retryAfterSeconds} seconds${other}.`;
  return {
    kind: "page",
    status: 429,
    page: formPage({ ...form, problem }),
    headers: { "retry-after": String(retryAfterSeconds) },
  };
}

/**
 * Begins the session and shows a page that leads on by itself. Browsers apply the page's `form-action` to redirects after a form,
 * which would block the redirects of the client's own pages.
 */
async function proceed(
  page: PageRequest,
  key: LoginKey,
  owner: PasswordOwner,
): Promise<PageAnswer> {
  const authenticatedAt = page.context.clock();
  const proof = hasPassword(owner.password);
  const next = await replaceSession(page, key, { personId: owner.id, proof, authenticatedAt });
  rememberDevice(page, owner);
  const body = html`<p>You are logged in. <a href="${next}">Continue to the application</a></p>`;
  return { kind: "page", page: layout({ title: "Welcome", next, body }) };
}

/**
 * Ends the browser's old session and begins a new one, so that nobody else can know its cookie. Returns the URL at which the
 * login continues. Throws `PageError` if the login is over.
 */
export async function replaceSession(
  { c, context, issuer }: PageRequest,
  key: LoginKey,
  loggedIn: LoggedIn,
): Promise<string> {
  await endSession(context, readCookie(c, "florin-session", issuer));
  const cause = asLoginCause(context, key, loggedIn);
  const token = await beginSession(context, loggedIn, cause);
  if (token === undefined) {
    removeCookie(c, "florin-session", issuer);
    throw new PageError(400, "This login is over. Go back to the application and log in again.");
  }
  writeCookie(c, { name: "florin-session", value: token, issuer });
  return `${issuer}/authorize/callback?id=${key.id}`;
}

interface LoginForm {
  readonly id: string;
  readonly issuer: string;
  readonly email: string;
  readonly problem?: string;
}

function formPage({ id, issuer, email, problem }: LoginForm): Markup {
  const isKnown = email !== "";
  return layout({
    title: "Log in",
    body: html` ${problem === undefined ? "" : html`<p role="alert" id="problem">${problem}</p>`}
      <form method="post" action="${issuer}${PATH}">
        <input type="hidden" name="request" value="${id}" />
        <label for="email">E-mail address</label>
        <input
          id="email"
          name="email"
          type="email"
          value="${email}"
          maxlength="${EMAIL_LENGTH_MAX}"
          autocomplete="username"
          required
          ${isKnown ? "" : "autofocus"}
        />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          maxlength="${PASSWORD_LENGTH_MAX}"
          autocomplete="current-password"
          required
          ${isKnown ? "autofocus" : ""}
        />
        <button>Log in</button>
      </form>
      <p>
        <button type="button" id="passkey" data-request="${id}" hidden>
          Log in with a passkey
        </button>
      </p>
      <p role="alert" id="passkey-problem" hidden>The passkey was not accepted.</p>`,
    ...(hasPasskeys(issuer) ? { script: `${issuer}/passkeys.js` } : {}),
  });
}
