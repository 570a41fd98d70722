import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { toPerson } from "./store.ts";
import { authPeople, authSessions } from "./tables.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { hashToken, newOpaqueToken } from "#modules/auth/grants/opaque-token.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { LOGINS_SWEEP } from "#modules/auth/sweeps.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** A browser in which somebody has logged in. */
export interface BrowserSession {
  readonly person: EndUser;
  readonly authenticatedAt: Timestamp;
}

/** Who has logged in, when, and by what. */
export interface LoggedIn {
  readonly personId: string;
  readonly authenticatedAt: Timestamp;
  /** Holds as long as the person may log in by what was presented; undefined where another provider says who it is. */
  readonly proof?: SQL | undefined;
}

/** What a session begins for. */
export interface SessionCause {
  /** Without it there is no session. */
  readonly condition: SQL;
  /** The statement that belongs to it, given the condition by which it sees that the session has begun. */
  readonly consequence: (hasBegun: SQL) => BatchItem<"sqlite">;
}

/**
 * Begins a session for a person who has logged in. Returns the value for the cookie; undefined where the person is gone, may no longer
 * log in by what was presented, or the cause is gone.
 */
export async function beginSession(
  { env, clock }: ServiceContext,
  { personId, authenticatedAt, proof }: LoggedIn,
  cause?: SessionCause,
): Promise<string | undefined> {
  const token = newOpaqueToken();
  const hash = hashToken(token);
  const endMs = toMillis(clock()) + authSettings.of(env).FLORIN_SESSION_LIFETIME;
  const isStillTheOne = and(eq(authPeople.id, personId), proof, cause?.condition);
  const db = databaseOf(env);
  const [begun] = await storeWithReserve(db, [
    db
      .insert(authSessions)
      .select(
        sql`
          SELECT ${hash}, ${authPeople.id}, ${authenticatedAt}, NULL, ${fromMillis(endMs)}
          FROM ${authPeople} WHERE ${isStillTheOne}`,
      )
      .returning({ hash: authSessions.hash }),
    ...(cause === undefined ? [] : [cause.consequence(sessionExists(token))]),
  ]);
  if (begun.length === 0) return undefined;
  await armClock(env, LOGINS_SWEEP, endMs + 1);
  return token;
}

/** The condition that there is a session of a cookie, be it one that has expired. */
export const sessionExists = (token: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${authSessions} WHERE ${eq(authSessions.hash, hashToken(token))})`;

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
  const db = databaseOf(env);
  await storeWithReserve(db, [
    db.delete(authSessions).where(eq(authSessions.hash, hashToken(token))),
  ]);
}
