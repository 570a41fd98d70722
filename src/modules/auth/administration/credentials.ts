import { and, desc, eq, gt, isNotNull, ne, or, type SQL, sql } from "drizzle-orm";
import { getPerson, targetOf } from "./users.ts";
import { authPasskeys } from "#modules/auth/passkeys/tables.ts";
import { authPeople, authSessions } from "#modules/auth/people/tables.ts";
import type { Actor } from "#modules/auth/permits/actor.ts";
import { leavesAdministrator } from "#modules/auth/permits/administrators.ts";
import { permit, retryOnConflict } from "#modules/auth/permits/permit.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/** Most sessions that a list shows. */
export const SESSIONS_LISTED_MAX = 100;

/** A session of a browser, as administrators see it. */
export interface PersonSession {
  /** The hash of the session's cookie, in base64url. It gives nobody the cookie. */
  readonly id: string;
  readonly authenticatedAt: Timestamp;
  readonly expiresAt: Timestamp;
}

/** A passkey, as administrators see it. */
export interface PersonPasskey {
  /** The id of the credential, in base64url. */
  readonly id: string;
  /** How often the device has used it; 0 for devices that do not count. */
  readonly uses: number;
}

/** A session or a passkey of a person. */
export interface CredentialOf {
  readonly personId: string;
  readonly id: string;
}

const toSessionId = (hash: string): string => Buffer.from(hash, "base64").toString("base64url");
const toHash = (id: string): string => Buffer.from(id, "base64url").toString("base64");

/** The newest sessions of a person that have not expired, newest first. Throws `NOT_FOUND` for an unknown person. */
export async function listSessions(
  context: ServiceContext,
  personId: string,
): Promise<readonly PersonSession[]> {
  await getPerson(context, personId);
  const { hash, authenticatedAt, expiresAt } = authSessions;
  const rows = await databaseOf(context.env)
    .select({ hash, authenticatedAt, expiresAt })
    .from(authSessions)
    .where(and(eq(authSessions.personId, personId), gt(expiresAt, context.clock())))
    .orderBy(desc(authenticatedAt), desc(hash))
    .limit(SESSIONS_LISTED_MAX);
  return rows.map((row) => ({
    id: toSessionId(row.hash),
    authenticatedAt: row.authenticatedAt,
    expiresAt: row.expiresAt,
  }));
}

/** The passkeys of a person. Throws `NOT_FOUND` for an unknown person. */
export async function listPasskeys(
  context: ServiceContext,
  personId: string,
): Promise<readonly PersonPasskey[]> {
  await getPerson(context, personId);
  return databaseOf(context.env)
    .select({ id: authPasskeys.id, uses: authPasskeys.counter })
    .from(authPasskeys)
    .where(eq(authPasskeys.personId, personId))
    .orderBy(authPasskeys.id);
}

/**
 * Ends a session of a person, if there is one. The browser gets no new tokens; access tokens that it has end by themselves. Throws
 * `NOT_FOUND` for an unknown person, `VALIDATION` for an actor with less authority than the person, and `CONFLICT`.
 */
export async function endPersonSession(
  context: ServiceContext,
  { personId, id }: CredentialOf,
): Promise<void> {
  const isThisOne = and(eq(authSessions.hash, toHash(id)), eq(authSessions.personId, personId));
  const db = databaseOf(context.env);
  await retryOnConflict(async () => {
    const person = await getPerson(context, personId);
    const { holds } = await permit(context, targetOf(person));
    const known = await db.select({ hash: authSessions.hash }).from(authSessions).where(isThisOne);
    if (known.length === 0) return true;
    const ended = await audited(context, "session", personId).store(
      db.delete(authSessions).where(and(isThisOne, holds)).returning({ hash: authSessions.hash }),
    );
    return ended.length > 0 ? true : undefined;
  });
}

/**
 * Removes a passkey of a person, if there is one. Throws as `endPersonSession` does, and `VALIDATION` for the only way in of the last
 * administrator.
 */
export async function removePersonPasskey(
  context: ServiceContext,
  { personId, id }: CredentialOf,
): Promise<void> {
  const isThisOne = and(eq(authPasskeys.id, id), eq(authPasskeys.personId, personId));
  const db = databaseOf(context.env);
  await retryOnConflict(async () => {
    const person = await getPerson(context, personId);
    const { actor, holds } = await permit(context, targetOf(person));
    const known = await db.select({ id: authPasskeys.id }).from(authPasskeys).where(isThisOne);
    if (known.length === 0) return true;
    const leaves = leavesWayIn(context, actor, { personId, id });
    await assertHolds(context, leaves, personId);
    const removed = await audited(context, "passkey", personId).store(
      db
        .delete(authPasskeys)
        .where(and(isThisOne, holds, leaves))
        .returning({ id: authPasskeys.id }),
    );
    return removed.length > 0 ? true : undefined;
  });
}

/** Holds if the person keeps a password or another passkey, or somebody else is an administrator. */
function leavesWayIn(
  context: ServiceContext,
  actor: Actor,
  { personId, id }: CredentialOf,
): SQL | undefined {
  const hasPassword = and(eq(authPeople.id, personId), isNotNull(authPeople.password));
  const isOther = and(eq(authPasskeys.personId, personId), ne(authPasskeys.id, id));
  return or(
    sql`EXISTS (SELECT 1 FROM ${authPeople} WHERE ${hasPassword})`,
    sql`EXISTS (SELECT 1 FROM ${authPasskeys} WHERE ${isOther})`,
    leavesAdministrator(context, actor, personId),
  );
}

async function assertHolds(
  { env }: ServiceContext,
  condition: SQL | undefined,
  personId: string,
): Promise<void> {
  const [row] = await databaseOf(env).all<{ holds: number }>(sql`SELECT ${condition} AS holds`);
  if (row?.holds === 1) return;
  throw new AppError(
    "VALIDATION",
    `the passkey is the only way in of the user '${personId}', who is the last administrator`,
  );
}

const audited = (
  context: ServiceContext,
  what: "session" | "passkey",
  personId: string,
): AuditedChange =>
  new AuditedChange(context, { action: `auth.${what}.delete`, object: `users/${personId}` });
