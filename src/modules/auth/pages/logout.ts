import type { OpenAPIHono } from "@hono/zod-openapi";
import { html } from "hono/html";
import { readCookie, removeCookie } from "./browser.ts";
import { layout } from "./layout.ts";
import { type PageAnswer, type PageRequest, registerFormAsLink, registerPage } from "./register.ts";
import { type IdTokenHint, readIdTokenHint } from "#modules/auth/authorize/id-token-hint.ts";
import { endSession, findSession } from "#modules/auth/people/sessions.ts";
import { findClient } from "#modules/auth/registry/find-client.ts";
import type { AppEnv } from "#platform/http/context.ts";

const PATH = "/end_session";
const LOGGED_OUT_PATH = "/logged-out";

/** Registers RP-initiated logout (OpenID Connect): an application sends the person here to end the session. */
export function registerLogout(app: OpenAPIHono<AppEnv>): void {
  registerPage(app, { method: "GET", path: PATH }, async (page) =>
    logOut(page, { isConfirmed: false }),
  );
  registerFormAsLink(app, PATH);
  // The form of our own page, on which the person has confirmed the logout; it repeats the fields of the request.
  registerPage(app, { method: "POST", path: `${PATH}/confirm` }, async (page) =>
    logOut(page, { isConfirmed: true }),
  );
  registerPage(app, { method: "GET", path: LOGGED_OUT_PATH }, async () => ({
    kind: "page",
    page: layout({ title: "Logged out", body: html`<p>You are logged out.</p>` }),
  }));
}

async function logOut(
  page: PageRequest,
  { isConfirmed }: { isConfirmed: boolean },
): Promise<PageAnswer> {
  const { c, context, issuer } = page;
  const checked = await check(page);
  if ("problem" in checked) return { kind: "text", status: 400, text: checked.problem };
  const token = readCookie(c, "florin-session", issuer);
  const session = await findSession(context, token);
  // Any site can send a person here, but only a client at which the person has logged in has an ID token of the person.
  const isOwnWish = isConfirmed || checked.hint?.subject === session?.person.id;
  if (session !== undefined && !isOwnWish) return confirmPage(page, session.person.email);
  await endSession(context, token);
  removeCookie(c, "florin-session", issuer);
  return { kind: "redirect", to: checked.target ?? `${issuer}${LOGGED_OUT_PATH}` };
}

interface CheckedLogout {
  readonly hint: IdTokenHint | undefined;
  /** The URL to which the client wants the browser to go afterwards. */
  readonly target: string | undefined;
}

async function check({
  context,
  issuer,
  params,
}: PageRequest): Promise<CheckedLogout | { problem: string }> {
  const hintText = params.get("id_token_hint") ?? "";
  const hint = hintText === "" ? undefined : await readIdTokenHint(context, hintText, issuer);
  if (hintText !== "" && hint === undefined) return { problem: "id_token_hint invalid" };
  const clientId = params.get("client_id") || hint?.clientId;
  if (hint !== undefined && hint.clientId !== clientId) {
    return { problem: "client_id does not match azp of id_token_hint" };
  }
  const uri = params.get("post_logout_redirect_uri") ?? "";
  // Without a client, nothing says whether the URI is allowed, so it is ignored.
  if (uri === "" || clientId === undefined) return { hint, target: undefined };
  const client = await findClient(context.env, clientId, issuer);
  if (!client?.postLogoutRedirectUris.includes(uri) || !/^https?:\/\/[\x21-\x7e]+$/i.test(uri)) {
    return { problem: "post_logout_redirect_uri invalid" };
  }
  return { hint, target: withState(uri, params.get("state") ?? "") };
}

function withState(uri: string, state: string): string {
  if (state === "") return uri;
  return `${uri}${uri.includes("?") ? "&" : "?"}${new URLSearchParams({ state }).toString()}`;
}

const FIELDS = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"];

function confirmPage({ params, issuer }: PageRequest, email: string): PageAnswer {
  const fields = FIELDS.flatMap((name) => {
    const value = params.get(name);
    return value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`];
  });
  const body = html` <p>You are logged in as <strong>${email}</strong>.</p>
    <form method="post" action="${issuer}${PATH}/confirm">
      ${fields}
      <button>Log out</button>
    </form>`;
  return { kind: "page", page: layout({ title: "Log out?", body }) };
}
