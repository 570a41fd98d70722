import { html } from "hono/html";
import { readCookie, writeCookie } from "./browser.ts";
import { layout } from "./layout.ts";
import { loginUrl } from "./login.ts";
import type { PageAnswer, PageRequest } from "./register.ts";
import { upstreamUrl } from "./upstream.ts";
import { beginLogin } from "#modules/auth/authorize/logins.ts";
import type { LoginRequest } from "#modules/auth/core/login-request.ts";
import { newOpaqueToken } from "#modules/auth/grants/opaque-token.ts";
import { UpstreamProvider } from "#modules/auth/upstream/provider.ts";

/**
 * Sends the browser to where people log in: the provider of the settings, or our own page. It comes back to `/authorize/callback`. A form
 * is answered by a page that leads on by itself: browsers apply the page's `form-action` to redirects after a form, which would block one
 * to the provider.
 */
export async function sendToLogin(page: PageRequest, request: LoginRequest): Promise<PageAnswer> {
  const { c, context, issuer } = page;
  const browser = readCookie(c, "florin-browser", issuer) ?? newOpaqueToken();
  const id = await beginLogin(context, { request, browser });
  writeCookie(c, { name: "florin-browser", value: browser, issuer });
  const provider = UpstreamProvider.of(context.env);
  const to =
    provider === undefined
      ? loginUrl(page, id)
      : await upstreamUrl(page, { provider, key: { id, browser }, request });
  if (c.req.method !== "POST") return { kind: "redirect", to };
  const body = html`<p><a href="${to}">Continue to the login</a></p>`;
  return { kind: "page", page: layout({ title: "Log in", next: to, body }) };
}
