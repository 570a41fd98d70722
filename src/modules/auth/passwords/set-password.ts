import { and, eq, exists, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { authLogins } from "#modules/auth/authorize/tables.ts";
import { deleteGrantsOf } from "#modules/auth/grants/grant-store.ts";
import { revocationsOfGrants } from "#modules/auth/grants/revocations.ts";
import { deriveFor } from "#modules/auth/hashing/password-hasher.ts";
import { hashPassword } from "#modules/auth/people/passwords.ts";
import { hasPassword } from "#modules/auth/people/store.ts";
import { authInvitations, authPeople, authSessions } from "#modules/auth/people/tables.ts";
import { armRevocationSweep } from "#modules/auth/revocations/revoke.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { newId } from "#platform/ids.ts";

/** What the audit calls a new password. */
export const PASSWORD_ACTION = "auth.person.password";

export interface PasswordChange {
  readonly personId: string;
  readonly password: string;
  /** When the change is to happen: what holds of the person's row. */
  readonly where: SQL;
  /** What the audit calls it. */
  readonly action: string;
  /** The link by which it is set, whose maker vouches for the person from then on; undefined where the old password was known. */
  readonly link?: { readonly vouchedBy: SQL };
}

/**
 * Gives a person a new password, and ends everything that somebody may have got by the old one: sessions, logins that are under
 * way, codes, refresh tokens, links that set a password, and, within a minute, access tokens. Returns what proves the new
 * password, for a session that begins with it; undefined where the condition does not hold, and changes nothing then. `others` are statements that belong to it, given the condition by which they see that it has
 * happened.
 */
export async function setPassword(
  context: ServiceContext,
  { personId, password, where, action, link }: PasswordChange,
  others: (isChanged: SQL) => readonly BatchItem<"sqlite">[] = () => [],
): Promise<SQL | undefined> {
  const db = databaseOf(context.env);
  const derive = deriveFor(context.env, { key: `person:${personId}`, isKnown: true });
  const hash = await hashPassword(password, derive);
  // The salt makes the hash one that no other change has.
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
    revocationsOfGrants(context, { subject: personId, where: isChanged }),
    ...deleteGrantsOf(context, { subject: personId }, isChanged),
    ...others(isChanged),
  );
  await armRevocationSweep(context);
  return changed.length > 0 ? hasPassword(hash) : undefined;
}

/** Replaces the password of a person by another one, if the former one is still that of a hash. Returns as `setPassword` does. */
export const changePassword = (
  context: ServiceContext,
  change: { readonly personId: string; readonly formerHash: string; readonly password: string },
): Promise<SQL | undefined> =>
  setPassword(context, {
    ...change,
    where: hasPassword(change.formerHash),
    action: PASSWORD_ACTION,
  });
