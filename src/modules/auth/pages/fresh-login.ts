import { readCookie } from "./browser.ts";
import { PageError } from "./page-error.ts";
import type { PageRequest } from "./register.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { type BrowserSession, findSession } from "#modules/auth/people/sessions.ts";
import { toMillis } from "#platform/time.ts";

/** How long after a login a person may add a way to log in, delete passkeys, or let a device manage access, in milliseconds. */
export const FRESH_MS_MAX = 15 * 60_000;

/** Whether a person has just logged in. A login of a time ahead was before the machine's clock was set back, so nobody knows. */
export const isFresh = ({ authenticatedAt }: BrowserSession, nowMs: number): boolean =>
  Math.abs(nowMs - toMillis(authenticatedAt)) <= FRESH_MS_MAX;

/** A person who has just logged in, and the cookie of the session. */
export interface FreshLogin {
  readonly person: EndUser;
  readonly token: string;
}

/** The person who has logged in in this browser at our own page within `FRESH_MS_MAX`. Throws `PageError`. */
export async function findFreshLogin({ c, context, issuer }: PageRequest): Promise<FreshLogin> {
  const token = readCookie(c, "florin-session", issuer) ?? "";
  const session = await findSession(context, token);
  const nowMs = toMillis(context.clock());
  if (session === undefined || session.person.issuer !== "" || !isFresh(session, nowMs)) {
    throw new PageError(401, "Log in to an application again, and come back within 15 minutes.");
  }
  return { person: session.person, token };
}
