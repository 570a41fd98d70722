import { and, eq, gt, isNotNull, isNull, sql } from "drizzle-orm";
import { authLogins } from "./tables.ts";
import type { LoginRequest } from "#modules/auth/core/login-request.ts";
import type { CodeCause } from "#modules/auth/grants/grant-store.ts";
import { hashToken, newOpaqueToken } from "#modules/auth/grants/opaque-token.ts";
import type { LoggedIn, SessionCause } from "#modules/auth/people/sessions.ts";
import { LOGINS_SWEEP } from "#modules/auth/sweeps.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { insertForStranger } from "#platform/db/strangers-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** How long a person may take to log in, in milliseconds. */
export const LOGIN_MS_MAX = 15 * 60_000;
/** Most logins under way. Each takes about a kilobyte. */
const LOGINS_MAX = 100_000;

/** The keys of a login that a browser has: the id of the login in the URL, and the value of a cookie. */
export interface LoginKey {
  readonly id: string;
  readonly browser: string;
}

/**
 * Begins a login: keeps the request of a client, or of our page of devices, until a person has logged in. Returns the login's id.
 *
 *     client ─► /authorize ── the session suffices ──────────────────────────────────────────────► code ─► client
 *                 │ it does not                                                                     ▲
 *                 ▼                                                                                 │
 *               beginLogin: row without a person, cookie of the browser                             │
 *                 │                                                                                 │
 *                 ├─ our own page ─► /login: password or passkey ─────────┐                         │
 *                 └─ another provider ─► /authorize/callback with a code ─┤                         │
 *                                                                         ▼                         │
 *                                          beginSession with asLoginCause: row with the person      │
 *                                                                         │                         │
 *                                          /authorize/callback?id=… : issueCode with asCodeCause ───┘
 *                                                                     deletes the row
 *
 * Anybody can begin a login. When somebody begins very many, the oldest end.
 */
export async function beginLogin(
  { env, clock }: ServiceContext,
  { request, browser, loginsMax = LOGINS_MAX }: NewLogin,
): Promise<string> {
  const db = databaseOf(env);
  const id = newOpaqueToken();
  const endMs = toMillis(clock()) + LOGIN_MS_MAX;
  const rows = {
    table: authLogins,
    key: authLogins.hash,
    end: authLogins.expiresAt,
    rowsMax: loginsMax,
  };
  const login = {
    hash: hashToken(id),
    browser: hashToken(browser),
    request: stringifyJson(request),
    expiresAt: fromMillis(endMs),
  };
  await insertForStranger(db, rows, db.insert(authLogins).values(login));
  await armClock(env, LOGINS_SWEEP, endMs + 1);
  return id;
}

interface NewLogin {
  readonly request: LoginRequest;
  /** The cookie of the browser that begins the login, and alone may continue it. */
  readonly browser: string;
  readonly loginsMax?: number;
}

/** The request of a login that is under way in this browser, before anybody has logged in; undefined if there is none. */
export async function findLogin(
  context: ServiceContext,
  key: LoginKey,
): Promise<LoginRequest | undefined> {
  const [row] = await databaseOf(context.env)
    .select({ request: authLogins.request })
    .from(authLogins)
    .where(and(isOpen(context, key), isNull(authLogins.personId)));
  return row === undefined ? undefined : readRequest(row.request);
}

/** The cause of a session: a login that is under way and has no person yet. The session's batch stores the person in it. */
export const asLoginCause = (
  context: ServiceContext,
  key: LoginKey,
  { personId, authenticatedAt }: LoggedIn,
): SessionCause => {
  const isWaiting = and(isOpen(context, key), isNull(authLogins.personId));
  return {
    condition: sql`EXISTS (SELECT 1 FROM ${authLogins} WHERE ${isWaiting})`,
    consequences: (hasBegun) => [
      databaseOf(context.env)
        .update(authLogins)
        .set({ personId, authenticatedAt })
        .where(and(isWaiting, hasBegun)),
    ],
  };
};

/** A login that is under way, with the person who has logged in, if any. */
export async function readLogin(
  context: ServiceContext,
  key: LoginKey,
): Promise<{ request: LoginRequest; loggedIn: LoggedIn | undefined } | undefined> {
  const [row] = await databaseOf(context.env).select().from(authLogins).where(isOpen(context, key));
  if (row === undefined) return undefined;
  const { request, personId, authenticatedAt } = row;
  const isLoggedIn = personId !== null && authenticatedAt !== null;
  return {
    request: readRequest(request),
    loggedIn: isLoggedIn ? { personId, authenticatedAt } : undefined,
  };
}

/** Ends a login. Returns whether it was under way until now, so that it is answered only once. */
export async function endLogin(context: ServiceContext, key: LoginKey): Promise<boolean> {
  const ended = await loginEnd(context, key).returning({ hash: authLogins.hash });
  return ended.length > 0;
}

/** The cause of a code: a login that has a person. It ends in the code's batch. */
export const asCodeCause = (context: ServiceContext, key: LoginKey): CodeCause => {
  const isLoggedIn = and(isOpen(context, key), isNotNull(authLogins.personId));
  return {
    condition: sql`EXISTS (SELECT 1 FROM ${authLogins} WHERE ${isLoggedIn})`,
    consequence: loginEnd(context, key),
  };
};

const loginEnd = (context: ServiceContext, key: LoginKey) =>
  databaseOf(context.env).delete(authLogins).where(isOpen(context, key));

const isOpen = ({ clock }: ServiceContext, { id, browser }: LoginKey) =>
  and(
    eq(authLogins.hash, hashToken(id)),
    eq(authLogins.browser, hashToken(browser)),
    gt(authLogins.expiresAt, clock()),
  );

/** `beginLogin` has written the column. */
const readRequest = (text: string) => parseJson(text) as LoginRequest;
