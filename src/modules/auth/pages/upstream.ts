import { html } from "hono/html";
import { readCookie } from "./browser.ts";
import { layout } from "./layout.ts";
import { replaceSession } from "./login.ts";
import { PageError } from "./page-error.ts";
import type { PageAnswer, PageRequest } from "./register.ts";
import { findLogin, type LoginKey } from "#modules/auth/authorize/logins.ts";
import type { LoginRequest } from "#modules/auth/core/login-request.ts";
import { upsertUpstreamPerson } from "#modules/auth/people/upstream-people.ts";
import { upstreamLogin } from "#modules/auth/upstream/login.ts";
import type { UpstreamIdentity, UpstreamProvider } from "#modules/auth/upstream/provider.ts";
import { logError } from "#platform/log.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** The URL of the provider's login for a request. Throws `PageError` if the provider cannot be used. */
export async function upstreamUrl(
  { context, issuer }: PageRequest,
  { provider, key, request }: { provider: UpstreamProvider; key: LoginKey; request: LoginRequest },
): Promise<string> {
  try {
    return await provider.authorizeUrl(upstreamLogin(issuer, key), hintsOf(request));
  } catch (error) {
    logError("the login provider cannot be used", error, { requestId: context.requestId });
    throw unavailable();
  }
}

/** The parameters of the client's request that the provider needs, because it is the provider that asks the person. */
function hintsOf({ prompts, maxAgeSeconds, loginHint }: LoginRequest): Record<string, string> {
  const prompt = prompts.filter((item) => item === "login" || item === "select_account").join(" ");
  return {
    ...(prompt === "" ? {} : { prompt }),
    ...(maxAgeSeconds === undefined ? {} : { max_age: String(maxAgeSeconds) }),
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
  };
}

/** Handles a browser that returns from the provider: identifies the person and begins a session. Throws `PageError`. */
export async function finishUpstream(
  page: PageRequest,
  provider: UpstreamProvider,
): Promise<PageAnswer> {
  const { c, context, issuer, params } = page;
  const id = params.get("state") ?? "";
  const key = { id, browser: readCookie(c, "florin-browser", issuer) ?? "" };
  const request = await findLogin(context, key);
  if (request === undefined) {
    throw new PageError(
      400,
      "This login is over or was begun in another browser. Go back to the application and log in again.",
    );
  }
  // The answer of another provider is refused before its code is sent to this one (RFC 9207).
  if (params.has("iss") && params.get("iss") !== provider.issuer) throw unavailable();
  const error = params.get("error");
  if (error !== null) return refusedPage(error, params.get("error_description") ?? "");
  const identity = await identify(page, { provider, key, code: params.get("code") ?? "" });
  const personId = await upsertUpstreamPerson(context, identity);
  const { authTime } = identity;
  const now = context.clock();
  // The provider's clock may be ahead of ours.
  const authenticatedAt =
    authTime === undefined ? now : fromMillis(Math.min(authTime * 1000, toMillis(now)));
  return { kind: "redirect", to: await replaceSession(page, key, { personId, authenticatedAt }) };
}

async function identify(
  { context, issuer }: PageRequest,
  { provider, key, code }: { provider: UpstreamProvider; key: LoginKey; code: string },
): Promise<UpstreamIdentity> {
  try {
    return await provider.identify(upstreamLogin(issuer, key), code);
  } catch (error) {
    logError("a login at the provider failed", error, { requestId: context.requestId });
    throw unavailable();
  }
}

function refusedPage(error: string, description: string): PageAnswer {
  const text = description === "" ? error : `${error} : ${description}`;
  const body = html`<p role="alert">${text}</p>`;
  return { kind: "page", page: layout({ title: "The login provider refuses", body }) };
}

const unavailable = (): PageError =>
  new PageError(502, "The login provider gives no usable answer. Try again later.");
