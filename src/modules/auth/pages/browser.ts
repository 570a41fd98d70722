import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { PageError } from "./page-error.ts";
import { isSameIssuer } from "#modules/auth/core/issuer-url.ts";
import type { AppEnv } from "#platform/http/context.ts";

/** The cookies of our pages: the session, the browser that has begun a login, and the device that a person has used before. */
export type CookieName = "florin-session" | "florin-browser" | "florin-device";

/** Attributes of cookies. With https, names have the prefix `__Host-`, which keeps other hosts of the same domain from setting them. */
const options = (issuer: string) => {
  const secure = issuer.startsWith("https:");
  return { path: "/", httpOnly: true, sameSite: "Lax", secure } as const;
};
const prefixOf = (issuer: string): string => (issuer.startsWith("https:") ? "__Host-" : "");

export const readCookie = (
  c: Context<AppEnv>,
  name: CookieName,
  issuer: string,
): string | undefined => getCookie(c, prefixOf(issuer) + name);

export interface Cookie {
  readonly name: CookieName;
  readonly value: string;
  readonly issuer: string;
  /** How long the browser keeps the cookie, in seconds; without it, until the browser is closed. */
  readonly maxAge?: number;
}

export function writeCookie(c: Context<AppEnv>, { name, value, issuer, maxAge }: Cookie): void {
  const lifetime = maxAge === undefined ? {} : { maxAge };
  setCookie(c, prefixOf(issuer) + name, value, { ...options(issuer), ...lifetime });
}

export function removeCookie(c: Context<AppEnv>, name: CookieName, issuer: string): void {
  deleteCookie(c, prefixOf(issuer) + name, options(issuer));
}

/** Refuses a form that another site has sent in the person's name. Browsers name the origin in headers that pages cannot set. Throws `PageError`. */
export function assertOwnPage(request: Request, issuer: string): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const isOwnSite = site === null || site === "same-origin";
  const isOwnOrigin = origin === null || isSameIssuer(`${origin}/`, `${new URL(issuer).origin}/`);
  if (isOwnSite && isOwnOrigin) return;
  throw new PageError(403, "The form was sent by another site, so it was not accepted.");
}
