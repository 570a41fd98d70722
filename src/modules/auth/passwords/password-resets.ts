import { and, eq, gt, not, sql } from "drizzle-orm";
import { PASSWORD_ACTION, setPassword } from "./set-password.ts";
import {
  assertOwnLogin,
  findInvitation,
  invitationGone,
  type NewInvitation,
} from "#modules/auth/administration/invitations.ts";
import { storePersonLink } from "#modules/auth/administration/person-links.ts";
import { isSignInLink } from "#modules/auth/administration/sign-in-links.ts";
import { getPerson } from "#modules/auth/administration/users.ts";
import { hashToken, newOpaqueToken } from "#modules/auth/grants/opaque-token.ts";
import { authPasskeys } from "#modules/auth/passkeys/tables.ts";
import { authInvitations } from "#modules/auth/people/tables.ts";
import { retryOnConflict } from "#modules/auth/permits/permit.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

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
  const person = await getPerson(context, personId);
  const { email } = person;
  const token = newOpaqueToken();
  const expiresAt = await storePersonLink(context, person, {
    hash: hashToken(token),
    lifeMs: RESET_MS,
    action: "auth.person.reset",
    isOfKind: not(isSignInLink),
    refusalFor: (issuer) => `the user logs in at ${issuer} and has no password here`,
  });
  return expiresAt === undefined
    ? undefined
    : { token, email, scopes: [], ledgers: [], personId, expiresAt };
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
