import { and, eq, gt } from "drizzle-orm";
import type { EndUser } from "./end-user.ts";
import { toPerson } from "./store.ts";
import { authPeople, authSessions } from "./tables.ts";
import { hashToken, newOpaqueToken } from "#modules/auth/grants/opaque-token.ts";
import { authSettings } from "#modules/auth/settings.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** A browser in which somebody has logged in. */
export interface BrowserSession {
  readonly person: EndUser;
  readonly authenticatedAt: Timestamp;
}

/** Begins a session for a person who has logged in. Returns the value for the cookie. */
export async function beginSession(
  { env, clock }: ServiceContext,
  { personId, authenticatedAt }: { personId: string; authenticatedAt: Timestamp },
): Promise<string> {
  const token = newOpaqueToken();
  const endMs = toMillis(clock()) + authSettings.of(env).FLORIN_SESSION_LIFETIME;
  const expiresAt = fromMillis(endMs);
  await databaseOf(env)
    .insert(authSessions)
    .values({ hash: hashToken(token), personId, authenticatedAt, expiresAt });
  await armClock(env, endMs + 1);
  return token;
}

/** The session of a cookie, unless it has ended. */
export async function findSession(
  { env, clock }: ServiceContext,
  token: string | undefined,
): Promise<BrowserSession | undefined> {
  if (token === undefined) return undefined;
  const [row] = await databaseOf(env)
    .select()
    .from(authSessions)
    .innerJoin(authPeople, eq(authPeople.id, authSessions.personId))
    .where(and(eq(authSessions.hash, hashToken(token)), gt(authSessions.expiresAt, clock())));
  if (row === undefined) return undefined;
  return {
    person: toPerson(row.auth_people),
    authenticatedAt: row.auth_sessions.authenticatedAt,
  };
}

/** Ends the session of a cookie, if there is one. */
export async function endSession(
  { env }: Pick<ServiceContext, "env">,
  token: string | undefined,
): Promise<void> {
  if (token === undefined) return;
  await databaseOf(env)
    .delete(authSessions)
    .where(eq(authSessions.hash, hashToken(token)));
}
