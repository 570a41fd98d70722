import { and, eq, exists, gt, ne, not, sql } from "drizzle-orm";
import { PASSWORD_ACTION, setPassword } from "./set-password.ts";
import {
  assertOwnLogin,
  findInvitation,
  invitationGone,
  type NewInvitation,
} from "#modules/auth/administration/invitations.ts";
import { isSignInLink } from "#modules/auth/administration/sign-in-links.ts";
import { getPerson, targetOf } from "#modules/auth/administration/users.ts";
import { toAuthorityColumn } from "#modules/auth/authority/stored-authority.ts";
import { hashToken, newOpaqueToken } from "#modules/auth/grants/opaque-token.ts";
import { authPasskeys } from "#modules/auth/passkeys/tables.ts";
import { authInvitations, authPeople } from "#modules/auth/people/tables.ts";
import { retryOnConflict, permit } from "#modules/auth/permits/permit.ts";
import { LOGINS_SWEEP } from "#modules/auth/sweeps.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** How long a link for a new password works, in milliseconds. */
export const RESET_MS = 24 * 3_600_000;

/**
 * Makes a link with which a known person sets a new password. It replaces an earlier link. Whoever has the link can log in as the
 * person, so its maker needs all authority of the person. The link ends when its maker loses scopes. Throws `NOT_FOUND`,
 * `VALIDATION` and `CONFLICT`.
 */
export function offerPasswordReset(
  context: ServiceContext,
  personId: string,
): Promise<NewInvitation> {
  assertOwnLogin(context.env);
  return retryOnConflict(() => tryToOffer(context, personId));
}

async function tryToOffer(
  context: ServiceContext,
  personId: string,
): Promise<NewInvitation | undefined> {
  const { env, clock } = context;
  const person = await getPerson(context, personId);
  const { actor, holds } = await permit(context, targetOf(person));
  const { email, issuer } = person;
  if (issuer !== "") {
    throw new AppError("VALIDATION", `the user logs in at ${issuer} and has no password here`);
  }
  const db = databaseOf(env);
  const token = newOpaqueToken();
  const hash = hashToken(token);
  const endMs = toMillis(clock()) + RESET_MS;
  const expiresAt = fromMillis(endMs);
  const change = new AuditedChange(context, {
    action: "auth.person.reset",
    object: `users/${personId}`,
  });
  const isMade = exists(
    db
      .select({ one: sql`1` })
      .from(authInvitations)
      .where(eq(authInvitations.hash, hash)),
  );
  // The selection is empty if the person was deleted meanwhile, or has other scopes than those that were checked.
  const made = await change.store(
    db
      .insert(authInvitations)
      .select(
        sql`
          SELECT ${hash}, email, '[]', id, ${expiresAt}, 0, ${actor.maker}, ${toAuthorityColumn(actor.authority)}
          FROM ${authPeople} WHERE id = ${personId} AND ${holds}`,
      )
      .returning({ hash: authInvitations.hash }),
    db
      .delete(authInvitations)
      .where(
        and(
          eq(authInvitations.personId, personId),
          not(isSignInLink),
          ne(authInvitations.hash, hash),
          isMade,
        ),
      ),
  );
  if (made.length === 0) return undefined;
  await armClock(env, LOGINS_SWEEP, endMs + 1);
  return { token, email, scopes: [], personId, expiresAt };
}

/**
 * Sets the password of a person by a link. The link and the person's passkeys end with it, because a passkey may be that of an
 * intruder who is the reason for the new password. Of two uses of a link at once, one finds none. Throws `NOT_FOUND`.
 */
export async function resetPassword(
  context: ServiceContext,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<void> {
  const { env, clock } = context;
  const invitation = await findInvitation(context, token);
  if (invitation?.personId === undefined) throw invitationGone();
  const { personId } = invitation;
  const db = databaseOf(env);
  const { hash, expiresAt } = authInvitations;
  const isThisOne = and(eq(hash, hashToken(token)), gt(expiresAt, clock()));
  const isOpen = sql`EXISTS (SELECT 1 FROM ${authInvitations} WHERE ${isThisOne})`;
  const vouchedBy = sql`(SELECT ${authInvitations.authority} FROM ${authInvitations} WHERE ${isThisOne})`;
  const proof = await setPassword(
    context,
    { personId, password, where: isOpen, action: PASSWORD_ACTION, link: { vouchedBy } },
    (isChanged) => [
      db.delete(authPasskeys).where(and(eq(authPasskeys.personId, personId), isChanged)),
    ],
  );
  if (proof === undefined) throw invitationGone();
}
