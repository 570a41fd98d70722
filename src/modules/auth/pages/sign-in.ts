import type { OpenAPIHono } from "@hono/zod-openapi";
import { readCookie, writeCookie } from "./browser.ts";
import { PageError } from "./page-error.ts";
import { type PageAnswer, type PageRequest, registerPage } from "./register.ts";
import { rememberDevice } from "./typed-password.ts";
import { signInByLink } from "#modules/auth/administration/sign-in-links.ts";
import { endSession } from "#modules/auth/people/sessions.ts";
import { PeopleStore } from "#modules/auth/people/store.ts";
import type { AppEnv } from "#platform/http/context.ts";

const PATH = "/sign-in";

/**
 * Registers the end of a link that signs in: a page of this server posts the secret of the URL's fragment, and gets the session's cookie with
 * 204. Every secret that begins no session gets one answer, 404. The rate of pages counts each attempt before the secret is read.
 */
export function registerSignIn(app: OpenAPIHono<AppEnv>): void {
  registerPage(app, { method: "POST", path: PATH, isJson: true }, signIn);
}

async function signIn(page: PageRequest): Promise<PageAnswer> {
  const { c, context, issuer, params } = page;
  const signedIn = await signInByLink(context, params.get("secret") ?? "", issuer);
  if (signedIn === undefined) {
    throw new PageError(404, "The link has been used or has expired. Ask for another one.");
  }
  const { person, session } = signedIn;
  // The old session ends only now, so that a wrong secret logs nobody out.
  await endSession(context, readCookie(c, "florin-session", issuer));
  writeCookie(c, { name: "florin-session", value: session, issuer });
  const password = await new PeopleStore(context.env).passwordOf(person.id);
  if (password !== undefined) rememberDevice(page, { id: person.id, password });
  return { kind: "empty" };
}
