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

/** The session of a browser in which a person has logged in. */
export interface BrowserSession {
  readonly person: EndUser;
  readonly authenticatedAt: Timestamp;
}

/** A login: the person, the time and the proof. */
export interface LoggedIn {
  readonly personId: string;
  readonly authenticatedAt: Timestamp;
  /** Holds as long as the person may log in by the password, passkey or link that was used; undefined if another provider vouches for the person. */
  readonly proof?: SQL | undefined;
}

/** The login for which a session begins. */
export interface SessionCause {
  /** Condition under which the session begins. */
  readonly condition: SQL;
  /** Makes the statements that go with the session; `hasBegun` holds when the session has begun. */
  readonly consequences: (hasBegun: SQL) => readonly BatchItem<"sqlite">[];
}

/**
 * Begins a session for a person who has logged in. Returns the value of its cookie. Returns undefined if the person or the cause
 * is gone, or the password or passkey that was used has ended.
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
    ...(cause === undefined ? [] : cause.consequences(sessionExists(token))),
  ]);
  if (begun.length === 0) return undefined;
  await armClock(env, LOGINS_SWEEP, endMs + 1);
  return token;
}

/** Holds if there is a session with a cookie, even if it has expired. */
export const sessionExists = (token: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${authSessions} WHERE ${eq(authSessions.hash, hashToken(token))})`;

/** The session with a cookie; undefined if it has ended. */
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

/** Ends the session with a cookie, if there is one. */
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
