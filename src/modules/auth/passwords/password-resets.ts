import { and, eq, exists, gt, ne, sql } from "drizzle-orm";
import { PASSWORD_ACTION, setPassword } from "./set-password.ts";
import { hashToken, newOpaqueToken } from "#modules/auth/grants/opaque-token.ts";
import { authPasskeys } from "#modules/auth/passkeys/tables.ts";
import {
  assertOwnLogin,
  findInvitation,
  gone,
  type NewInvitation,
} from "#modules/auth/people/invitations.ts";
import { authInvitations, authPeople } from "#modules/auth/people/tables.ts";
import { getPerson } from "#modules/auth/people/users.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** How long a link with which a person sets a new password works, in milliseconds. */
export const RESET_MS = 24 * 3_600_000;

/**
 * Makes a link with which a person who is there already chooses a new password. It replaces an earlier one. Whoever has it can log
 * in as the person, so that the caller has checked that who acts may give the scopes that the person has.
 */
export async function offerPasswordReset(
  context: ServiceContext,
  { personId, scopes }: { readonly personId: string; readonly scopes: readonly string[] },
): Promise<NewInvitation> {
  const { env, clock } = context;
  assertOwnLogin(env);
  const { email, issuer } = await getPerson(context, personId);
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
  // Nothing is selected where the person was deleted meanwhile, or has got other scopes than the caller has checked.
  const made = await change.store(
    db
      .insert(authInvitations)
      .select(
        sql`
          SELECT ${hash}, email, '[]', id, ${expiresAt}
          FROM ${authPeople} WHERE id = ${personId} AND scopes = ${stringifyJson(scopes)}`,
      )
      .returning({ hash: authInvitations.hash }),
    db
      .delete(authInvitations)
      .where(and(eq(authInvitations.personId, personId), ne(authInvitations.hash, hash))),
  );
  if (made.length === 0)
    throw new AppError("CONFLICT", "the user was changed meanwhile; try again");
  await armClock(env, endMs + 1);
  return { token, email, scopes: [], personId, expiresAt };
}

/**
 * Sets the password of a person by a link, which ends with it, as do the person's passkeys: one of them may be that of somebody
 * else, because of whom the password is set anew. Of two uses of a link at once, one finds none.
 */
export async function resetPassword(
  context: ServiceContext,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<void> {
  const { env, clock } = context;
  const invitation = await findInvitation(context, token);
  if (invitation?.personId === undefined) throw gone();
  const { personId } = invitation;
  const db = databaseOf(env);
  const { hash, expiresAt } = authInvitations;
  const isOpen = exists(
    db
      .select({ one: sql`1` })
      .from(authInvitations)
      .where(and(eq(hash, hashToken(token)), gt(expiresAt, clock()))),
  );
  const proof = await setPassword(
    context,
    { personId, password, where: isOpen, action: PASSWORD_ACTION },
    (isChanged) => [
      db.delete(authPasskeys).where(and(eq(authPasskeys.personId, personId), isChanged)),
    ],
  );
  if (proof === undefined) throw gone();
}
