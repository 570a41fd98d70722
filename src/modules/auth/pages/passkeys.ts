import type { OpenAPIHono } from "@hono/zod-openapi";
import { html } from "hono/html";
import { findFreshLogin } from "./fresh-login.ts";
import { layout, type Markup } from "./layout.ts";
import { replaceSession, openLogin } from "./login.ts";
import { PASSKEY_SCRIPT } from "./passkey-script.ts";
import { type PageAnswer, type PageRequest, registerPage } from "./register.ts";
import { rememberDevice } from "./typed-password.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import type { ChallengeKey } from "#modules/auth/passkeys/challenges.ts";
import {
  addPasskey,
  passkeyRequestOptions,
  countPasskeys,
  deletePasskeys,
  findByPasskey,
  hasPasskeys,
  passkeyCreationOptions,
} from "#modules/auth/passkeys/passkeys.ts";
import { PeopleStore } from "#modules/auth/people/store.ts";
import type { AppEnv } from "#platform/http/context.ts";

/** Registers the pages of passkeys, which may replace the password of our own login page. */
export function registerPasskeys(app: OpenAPIHono<AppEnv>): void {
  app.get("/passkeys.js", (c) =>
    c.body(PASSKEY_SCRIPT, 200, {
      "content-type": "text/javascript; charset=utf-8",
      "x-content-type-options": "nosniff",
    }),
  );
  registerPage(app, { method: "GET", path: "/account" }, showAccount);
  registerPage(app, { method: "POST", path: "/passkeys/offer" }, async (page) => {
    const { person, key } = await openAccount(page);
    const { context, issuer } = page;
    return { kind: "json", body: await passkeyCreationOptions(context, { person, key, issuer }) };
  });
  registerPage(app, { method: "POST", path: "/passkeys/add" }, async (page) => {
    const { person, key } = await openAccount(page);
    const { context, issuer, params } = page;
    await addPasskey(context, { person, key, issuer, text: params.get("response") ?? "" });
    return { kind: "json", body: { next: `${issuer}/account` } };
  });
  registerPage(app, { method: "POST", path: "/passkeys/delete" }, async (page) => {
    const { person } = await openAccount(page);
    await deletePasskeys(page.context, person, page.issuer);
    return { kind: "redirect", to: `${page.issuer}/account` };
  });
  registerPage(app, { method: "POST", path: "/passkeys/ask" }, async (page) => {
    const { key } = await openLogin(page);
    const { context, issuer } = page;
    const body = await passkeyRequestOptions(context, {
      key: { of: "login", token: key.id },
      issuer,
    });
    return { kind: "json", body };
  });
  registerPage(app, { method: "POST", path: "/passkeys/log-in" }, logIn);
}

async function logIn(page: PageRequest): Promise<PageAnswer> {
  const { key } = await openLogin(page);
  const { context, issuer, params } = page;
  const person = await findByPasskey(context, {
    key: { of: "login", token: key.id },
    issuer,
    text: params.get("response") ?? "",
  });
  const next = await replaceSession(page, key, { ...person, authenticatedAt: context.clock() });
  const password = await new PeopleStore(context.env).passwordOf(person.personId);
  if (password !== undefined) rememberDevice(page, { id: person.personId, password });
  return { kind: "json", body: { next } };
}

/** The person who has just logged in in this browser. Throws `PageError`. */
async function openAccount(page: PageRequest): Promise<{ person: EndUser; key: ChallengeKey }> {
  const { person, token } = await findFreshLogin(page);
  return { person, key: { of: "session", token } };
}

async function showAccount(page: PageRequest): Promise<PageAnswer> {
  const { person } = await openAccount(page);
  const { issuer } = page;
  const [count, password] = await Promise.all([
    countPasskeys(page.context, person.id),
    new PeopleStore(page.context.env).passwordOf(person.id),
  ]);
  const body = html` <p>
      You are logged in as <strong>${person.email}</strong> and have ${count}
      ${count === 1 ? "passkey" : "passkeys"}.
    </p>
    ${hasPasskeys(issuer) ? passkeyButton("Add a passkey") : html`<p>Open this server by its name to add one.</p>`}
    ${
      count === 0
        ? ""
        : html`<form method="post" action="${issuer}/passkeys/delete">
            <button>Delete all passkeys</button>
          </form>`
    }
    <p>
      <a href="${issuer}/password"
        >${password === undefined ? "Set a password" : "Change your password"}</a
      >
    </p>`;
  const script = `${issuer}/passkeys.js`;
  return { kind: "page", page: layout({ title: "Your passkeys", body, script }) };
}

const passkeyButton = (label: string): Markup =>
  html` <p><button type="button" id="passkey" hidden>${label}</button></p>
    <p role="alert" id="passkey-problem" hidden>The passkey was not accepted. Try again.</p>`;
