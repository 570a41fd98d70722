import { and, eq, gt, like, lte, type SQL, sql } from "drizzle-orm";
import { assertOwnLogin } from "./invitations.ts";
import { storePersonLink } from "./person-links.ts";
import { getPerson } from "./users.ts";
import { hasUnchangedAuthority } from "#modules/auth/authority/conditions.ts";
import {
  fromAuthorityColumn,
  toAuthorityColumn,
} from "#modules/auth/authority/stored-authority.ts";
import { type Authority, commonAuthority, covers } from "#modules/auth/core/authority.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { hashToken, newOpaqueToken } from "#modules/auth/grants/opaque-token.ts";
import { beginSession } from "#modules/auth/people/sessions.ts";
import { toPerson } from "#modules/auth/people/store.ts";
import { authInvitations, authPeople } from "#modules/auth/people/tables.ts";
import { retryOnConflict } from "#modules/auth/permits/permit.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** How long a link that signs in works, in milliseconds. */
export const SIGN_IN_MS = 10 * 60_000;

/** Begins the stored hash of a link that signs in, so that its secret sets no password. */
const KIND = "sign-in:";

const storedHash = (secret: string): string => KIND + hashToken(secret);

/** A new link that signs in. The secret is not stored and cannot be read again. */
export interface SignInLink {
  readonly secret: string;
  readonly person: EndUser;
  readonly expiresAt: Timestamp;
}

/**
 * Makes a link with which a person signs in once, without a password. It replaces an earlier one of the person, so that there is at most one
 * for each person. `personId` may be left out by a person, who then makes a link for themselves.
 *
 *     maker ⊇ person, now and lately ─► row in auth_invitations ─► secret in the fragment of a URL
 *                                          │                            │ POST /api/auth/sign-in, once, within ten minutes
 *       the person's scopes or password ───┤ end it                     ▼
 *       change, the person is deleted, ────┤                        session of the browser; vouchedBy := vouchedBy ∩ maker
 *       the maker loses scopes ────────────┘
 *
 * Throws `NOT_FOUND`, `VALIDATION` and `CONFLICT`.
 */
export async function offerSignIn(
  context: ServiceContext,
  personId: string | undefined,
): Promise<SignInLink> {
  assertOwnLogin(context.env, "and sign in there");
  const { isPerson, subject } = context.principal;
  const id = personId ?? (isPerson ? subject : undefined);
  if (id === undefined) {
    throw new AppError("VALIDATION", "personId is missing: only a person may leave it out");
  }
  return retryOnConflict(() => tryToOffer(context, id));
}

async function tryToOffer(
  context: ServiceContext,
  personId: string,
): Promise<SignInLink | undefined> {
  const person = await getPerson(context, personId);
  const secret = newOpaqueToken();
  const expiresAt = await storePersonLink(context, person, {
    hash: storedHash(secret),
    lifeMs: SIGN_IN_MS,
    action: "auth.person.sign-in-link",
    isOfKind: isSignInLink,
    refusalFor: (issuer) => `the user logs in at ${issuer}, not by a link`,
  });
  return expiresAt === undefined ? undefined : { secret, person, expiresAt };
}

/** Holds for links that sign in, and for no other links. */
export const isSignInLink: SQL = like(authInvitations.hash, `${KIND}%`);

/** A session that a link has begun. */
export interface SignedIn {
  readonly person: EndUser;
  /** The value of the session's cookie. */
  readonly session: string;
}

/**
 * Begins a session by the secret of a link, which ends with it. Of two uses at once, one finds no link. Returns undefined for a link that is
 * unknown, used, expired or ended.
 *
 * What the person gets in the session, such as a passkey, goes back to the link's maker besides whoever has vouched for the person before.
 * So it ends when the person is given more than both could give (`endsWith`).
 */
export async function signInByLink(
  context: ServiceContext,
  secret: string,
  issuer: string,
): Promise<SignedIn | undefined> {
  const { env, clock } = context;
  if (authSettings.of(env).FLORIN_LOGIN_ISSUER !== undefined) return undefined;
  const now = clock();
  const isThisOne = and(
    eq(authInvitations.hash, storedHash(secret)),
    gt(authInvitations.expiresAt, now),
    // A later end was stored before the clock was set back.
    lte(authInvitations.expiresAt, fromMillis(toMillis(now) + SIGN_IN_MS)),
  );
  const db = databaseOf(env);
  const [row] = await db
    .select()
    .from(authInvitations)
    .innerJoin(authPeople, eq(authPeople.id, authInvitations.personId))
    .where(isThisOne);
  if (row === undefined) return undefined;
  const person = toPerson(row.auth_people);
  const vouchedBy = weakerVoucher(person, fromAuthorityColumn(row.auth_invitations.authority));
  const change = new AuditedChange(asPerson(context, person, issuer), {
    action: "auth.person.sign-in",
    object: `users/${person.id}`,
  });
  const session = await beginSession(
    context,
    {
      personId: person.id,
      authenticatedAt: now,
      proof: hasUnchangedAuthority(authPeople, person),
    },
    {
      condition: sql`EXISTS (SELECT 1 FROM ${authInvitations} WHERE ${isThisOne})`,
      consequences: (hasBegun) => [
        db.delete(authInvitations).where(and(isThisOne, hasBegun)),
        change.entry,
        ...(vouchedBy === undefined
          ? []
          : [
              db
                .update(authPeople)
                .set({ vouchedBy: toAuthorityColumn(vouchedBy), version: newId() })
                .where(and(eq(authPeople.id, person.id), hasBegun)),
            ]),
      ],
    },
  );
  if (session === undefined) return undefined;
  await change.armSweep();
  return { person, session };
}

/** What both could give who vouch for a person from now on; undefined if a link's maker could give all that the one before could. */
function weakerVoucher({ vouchedBy }: EndUser, maker: Authority): Authority | undefined {
  if (vouchedBy === undefined) return maker;
  return covers(maker, vouchedBy) ? undefined : commonAuthority(vouchedBy, maker);
}

const asPerson = (context: ServiceContext, { id }: EndUser, issuer: string): ServiceContext => ({
  ...context,
  principal: { ...context.principal, issuer, subject: id },
});
