import { and, eq, exists, isNull, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { authLogins } from "#modules/auth/authorize/tables.ts";
import { deleteGrantsOf } from "#modules/auth/grants/grant-store.ts";
import { revocationsOfGrants } from "#modules/auth/grants/revocations.ts";
import { deriveFor } from "#modules/auth/hashing/password-hasher.ts";
import { hashPassword } from "#modules/auth/people/passwords.ts";
import { sessionExists } from "#modules/auth/people/sessions.ts";
import { hasPassword } from "#modules/auth/people/store.ts";
import { authInvitations, authPeople, authSessions } from "#modules/auth/people/tables.ts";
import { armRevocationSweep } from "#modules/auth/revocations/revoke.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { newId } from "#platform/ids.ts";

/** The action of a new password in the audit. */
export const PASSWORD_ACTION = "auth.person.password";

export interface PasswordChange {
  readonly personId: string;
  readonly password: string;
  /** Condition on the person's row under which the change is made. */
  readonly where: SQL;
  /** The action of the change in the audit. */
  readonly action: string;
  /** The link by which the password is set. Its maker vouches for the person from then on. Undefined if the old password was known. */
  readonly link?: { readonly vouchedBy: SQL };
}

/**
 * Gives a person a new password, and ends everything that somebody may have got by the old one: sessions, logins that are under
 * way, codes, refresh tokens, links that set a password, and, within a minute, access tokens. Returns the proof of the new
 * password, for a session that begins with it. Returns undefined and changes nothing if the condition does not hold. `others`
 * makes further statements of the batch; its argument holds when the password was changed.
 */
export async function setPassword(
  context: ServiceContext,
  { personId, password, where, action, link }: PasswordChange,
  others: (isChanged: SQL) => readonly BatchItem<"sqlite">[] = () => [],
): Promise<SQL | undefined> {
  const db = databaseOf(context.env);
  const derive = deriveFor(context.env, { key: `person:${personId}`, isKnown: true });
  const hash = await hashPassword(password, derive);
  // The salt makes the hash unique, so it identifies this change.
  const isThisOne = and(eq(authPeople.id, personId), hasPassword(hash));
  const isChanged = exists(
    db
      .select({ one: sql`1` })
      .from(authPeople)
      .where(isThisOne),
  );
  const change = new AuditedChange(context, { action, object: `users/${personId}` });
  const changed = await change.store(
    db
      .update(authPeople)
      .set({ password: hash, ...(link === undefined ? {} : { ...link, version: newId() }) })
      .where(and(eq(authPeople.id, personId), where))
      .returning({ id: authPeople.id }),
    db.delete(authSessions).where(and(eq(authSessions.personId, personId), isChanged)),
    db.delete(authLogins).where(and(eq(authLogins.personId, personId), isChanged)),
    db.delete(authInvitations).where(and(eq(authInvitations.personId, personId), isChanged)),
    revocationsOfGrants(context, { subject: personId, condition: isChanged }),
    ...deleteGrantsOf(context, { subject: personId }, isChanged),
    ...others(isChanged),
  );
  await armRevocationSweep(context);
  return changed.length > 0 ? hasPassword(hash) : undefined;
}

/** Sets the password of a person who has none, if the session with a cookie goes on. Returns as `setPassword` does. */
export const setFirstPassword = (
  context: ServiceContext,
  {
    session,
    ...change
  }: { readonly personId: string; readonly password: string; readonly session: string },
): Promise<SQL | undefined> =>
  setPassword(context, {
    ...change,
    where: and(isNull(authPeople.password), sessionExists(session)) ?? sql`FALSE`,
    action: PASSWORD_ACTION,
  });

/** Replaces the password of a person if the former one still has a hash. Returns as `setPassword` does. */
export const changePassword = (
  context: ServiceContext,
  change: { readonly personId: string; readonly formerHash: string; readonly password: string },
): Promise<SQL | undefined> =>
  setPassword(context, {
    ...change,
    where: hasPassword(change.formerHash),
    action: PASSWORD_ACTION,
  });
