import { and, count, eq, gt, isNull } from "drizzle-orm";
import { authLogins } from "./tables.ts";
import type { AuthorizeRequest } from "#modules/auth/core/authorize-request.ts";
import { hashToken, newOpaqueToken } from "#modules/auth/grants/opaque-token.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** How long a person may take to log in, in milliseconds. */
export const LOGIN_MS_MAX = 15 * 60_000;
/** Most logins under way; each takes about a kilobyte. */
const LOGINS_MAX = 100_000;

/** What a browser shows to go on with a login: the id of the request, and the value of its cookie. */
export interface LoginKey {
  readonly id: string;
  readonly browser: string;
}

/** Who has logged in for a request, and when. */
export interface LoggedIn {
  readonly personId: string;
  readonly authenticatedAt: Timestamp;
}

/** Keeps the request of a client until somebody has logged in. Returns its id. */
export async function beginLogin(
  { env, clock }: ServiceContext,
  request: AuthorizeRequest,
  browser: string,
): Promise<string> {
  const db = databaseOf(env);
  const [row] = await db.select({ count: count() }).from(authLogins);
  if ((row?.count ?? 0) >= LOGINS_MAX) {
    throw new AppError("OVERLOADED", "too many people are logging in now");
  }
  const id = newOpaqueToken();
  const endMs = toMillis(clock()) + LOGIN_MS_MAX;
  await db.insert(authLogins).values({
    hash: hashToken(id),
    browser: hashToken(browser),
    request: stringifyJson(request),
    expiresAt: fromMillis(endMs),
  });
  await armClock(env, endMs + 1);
  return id;
}

/** The request of a login that is under way in this browser and at which nobody has logged in. */
export async function findLogin(
  context: ServiceContext,
  key: LoginKey,
): Promise<AuthorizeRequest | undefined> {
  const [row] = await databaseOf(context.env)
    .select({ request: authLogins.request })
    .from(authLogins)
    .where(and(isOpen(context, key), isNull(authLogins.personId)));
  return row === undefined ? undefined : readRequest(row.request);
}

/** Stores who has logged in, unless the login has ended or somebody else has logged in. Returns whether it was stored. */
export async function completeLogin(
  context: ServiceContext,
  key: LoginKey,
  { personId, authenticatedAt }: LoggedIn,
): Promise<boolean> {
  const changed = await databaseOf(context.env)
    .update(authLogins)
    .set({ personId, authenticatedAt })
    .where(and(isOpen(context, key), isNull(authLogins.personId)))
    .returning({ hash: authLogins.hash });
  return changed.length > 0;
}

/** Ends a login, once: gives the request, and who has logged in. */
export async function takeLogin(
  context: ServiceContext,
  key: LoginKey,
): Promise<{ request: AuthorizeRequest; loggedIn: LoggedIn | undefined } | undefined> {
  const [row] = await databaseOf(context.env)
    .delete(authLogins)
    .where(isOpen(context, key))
    .returning();
  if (row === undefined) return undefined;
  const { request, personId, authenticatedAt } = row;
  const isLoggedIn = personId !== null && authenticatedAt !== null;
  return {
    request: readRequest(request),
    loggedIn: isLoggedIn ? { personId, authenticatedAt } : undefined,
  };
}

const isOpen = ({ clock }: ServiceContext, { id, browser }: LoginKey) =>
  and(
    eq(authLogins.hash, hashToken(id)),
    eq(authLogins.browser, hashToken(browser)),
    gt(authLogins.expiresAt, clock()),
  );

/** The column holds what `beginLogin` has written there. */
const readRequest = (text: string) => parseJson(text) as AuthorizeRequest;
