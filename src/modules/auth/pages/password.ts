import type { OpenAPIHono } from "@hono/zod-openapi";
import { html } from "hono/html";
import { readCookie, writeCookie } from "./browser.ts";
import { findFreshLogin } from "./fresh-login.ts";
import { passwordProblem } from "./invitation.ts";
import { layout, type Markup } from "./layout.ts";
import { PageError } from "./page-error.ts";
import { type PageAnswer, type PageRequest, registerPage } from "./register.ts";
import { isPasswordOf, rememberDevice } from "./typed-password.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { changePassword, setFirstPassword } from "#modules/auth/passwords/set-password.ts";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "#modules/auth/people/passwords.ts";
import { beginSession, findSession, type LoggedIn } from "#modules/auth/people/sessions.ts";
import { PeopleStore } from "#modules/auth/people/store.ts";
import type { AppEnv } from "#platform/http/context.ts";

const PATH = "/password";

/** Registers the page on which a person who is logged in changes the password, or sets the first one. */
export function registerPassword(app: OpenAPIHono<AppEnv>): void {
  registerPage(app, { method: "GET", path: PATH }, async (page) => {
    const { person, isFirst } = await openPassword(page);
    return { kind: "page", page: formPage({ issuer: page.issuer, email: person.email, isFirst }) };
  });
  registerPage(app, { method: "POST", path: PATH }, change);
}

/** A person who is logged in, the session's cookie, and whether the person has no password yet. */
interface OpenPassword {
  readonly person: EndUser;
  readonly token: string;
  readonly isFirst: boolean;
}

/**
 * The person who is logged in in this browser by our own page. Where there is no old password to ask for, the login has to be fresh. Throws
 * `PageError`.
 */
async function openPassword(page: PageRequest): Promise<OpenPassword> {
  const { c, context, issuer } = page;
  const token = readCookie(c, "florin-session", issuer) ?? "";
  const session = await findSession(context, token);
  if (session?.person.issuer !== "") {
    throw new PageError(401, "Log in to an application first, and come back.");
  }
  const { person } = session;
  const password = await new PeopleStore(context.env).passwordOf(person.id);
  if (password !== undefined) return { person, token, isFirst: false };
  return { ...(await findFreshLogin(page)), isFirst: true };
}

async function change(page: PageRequest): Promise<PageAnswer> {
  const { params, issuer } = page;
  const { person, token, isFirst } = await openPassword(page);
  const again = (problem: string, status: number): PageAnswer => ({
    kind: "page",
    status,
    page: formPage({ issuer, email: person.email, isFirst, problem }),
  });
  const password = params.get("new") ?? "";
  const problem = passwordProblem(password);
  if (problem !== undefined) return again(problem, 400);
  const context = {
    ...page.context,
    principal: { ...page.context.principal, issuer, subject: person.id },
  };
  const wanted = { personId: person.id, password };
  const hash = isFirst ? undefined : await provenHash(page, person, params.get("old") ?? "");
  if (!isFirst && hash === undefined) return again("The old password is wrong.", 401);
  const proof = await (hash === undefined
    ? setFirstPassword(context, { ...wanted, session: token })
    : changePassword(context, { ...wanted, formerHash: hash }));
  if (proof === undefined) return again("The password was changed meanwhile.", 409);
  const authenticatedAt = context.clock();
  return stayLoggedIn(page, { personId: person.id, authenticatedAt, proof }, person.email);
}

/** The hash of the person's password if `old` is this password. A wrong one counts as a failed login. */
async function provenHash(
  page: PageRequest,
  { id, email }: EndUser,
  old: string,
): Promise<string | undefined> {
  const hash = await new PeopleStore(page.context.env).passwordOf(id);
  const owner = hash === undefined ? undefined : { id, password: hash };
  return (await isPasswordOf(page, { email, password: old, owner })) ? hash : undefined;
}

/** Begins a new session for this browser, because the change has ended all sessions. Nobody else can know its cookie. */
async function stayLoggedIn(
  page: PageRequest,
  loggedIn: LoggedIn,
  email: string,
): Promise<PageAnswer> {
  const { c, context, issuer } = page;
  const value = await beginSession(context, loggedIn);
  if (value === undefined) throw new PageError(401, "Your account was changed once more.");
  writeCookie(c, { name: "florin-session", value, issuer });
  const password = await new PeopleStore(context.env).passwordOf(loggedIn.personId);
  if (password !== undefined) rememberDevice(page, { id: loggedIn.personId, password });
  const body = html`<p>
    The password of <strong>${email}</strong> is changed. You are logged out everywhere but here.
  </p>`;
  return { kind: "page", page: layout({ title: "Your password is changed", body }) };
}

interface PasswordForm {
  readonly issuer: string;
  readonly email: string;
  /** Whether the person has no password yet. */
  readonly isFirst: boolean;
  readonly problem?: string;
}

const formPage = ({ issuer, email, isFirst, problem }: PasswordForm): Markup =>
  layout({
    title: isFirst ? "Set a password" : "Change your password",
    body: html` <p>You are then logged out everywhere but in this browser.</p>
      ${problem === undefined ? "" : html`<p role="alert">${problem}</p>`}
      <form method="post" action="${issuer}${PATH}">
        <input type="hidden" name="username" value="${email}" autocomplete="username" />
        ${isFirst ? "" : OLD_PASSWORD}
        <label for="new"
          >New password <small>(${PASSWORD_LENGTH_MIN} characters or more)</small></label
        >
        <input
          id="new"
          name="new"
          type="password"
          minlength="${PASSWORD_LENGTH_MIN}"
          maxlength="${PASSWORD_LENGTH_MAX}"
          autocomplete="new-password"
          required
        />
        <button>${isFirst ? "Set the password" : "Change the password"}</button>
      </form>`,
  });

const OLD_PASSWORD = html`<label for="old">Old password</label>
  <input
    id="old"
    name="old"
    type="password"
    maxlength="${PASSWORD_LENGTH_MAX}"
    autocomplete="current-password"
    required
    autofocus
  />`;
