import { and, count, eq, exists, gt, isNull, sql } from "drizzle-orm";
import { authorityOfPermissions, type PersonPermissions } from "#modules/auth/authority/holders.ts";
import { toAuthorityColumn } from "#modules/auth/authority/stored-authority.ts";
import { PEOPLE_MAX } from "#modules/auth/core/end-user.ts";
import { hashToken, newOpaqueToken } from "#modules/auth/grants/opaque-token.ts";
import { deriveFor } from "#modules/auth/hashing/password-hasher.ts";
import { hashPassword } from "#modules/auth/people/passwords.ts";
import { loginOf, PeopleStore } from "#modules/auth/people/store.ts";
import { authInvitations, authPeople } from "#modules/auth/people/tables.ts";
import { retryOnConflict, permit } from "#modules/auth/permits/permit.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { LOGINS_SWEEP } from "#modules/auth/sweeps.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** How long an invitation can be accepted, in milliseconds. */
export const INVITATION_MS = 7 * 24 * 3_600_000;
/** Most open invitations of a deployment. */
const INVITATIONS_MAX = 1000;

export interface InvitationFields extends PersonPermissions {
  /** The e-mail address of the person; empty if the person chooses one. */
  readonly email: string;
}

/** An open invitation, or an open link for a new password. */
export interface Invitation extends InvitationFields {
  /** The person who chooses a new password; undefined for an invitation of a new person. */
  readonly personId: string | undefined;
  readonly expiresAt: Timestamp;
}

/** A new link with its token, which is not stored and cannot be read again. */
export type NewInvitation = Invitation & { readonly token: string };

/**
 * Makes an invitation. Only its return value contains the token. The invitation ends when its maker loses scopes. Throws
 * `VALIDATION` for scopes that the caller does not have.
 */
export async function invite(
  context: ServiceContext,
  fields: InvitationFields,
): Promise<NewInvitation> {
  assertOwnLogin(context.env);
  return retryOnConflict(() => tryToInvite(context, fields));
}

async function tryToInvite(
  context: ServiceContext,
  { email, scopes, ledgers }: InvitationFields,
): Promise<NewInvitation | undefined> {
  const { env, clock } = context;
  const next = authorityOfPermissions({ scopes, ledgers });
  const { actor, holds } = await permit(context, { kind: "person", id: email, next });
  const db = databaseOf(env);
  const [waiting] = await db
    .select({ count: count() })
    .from(authInvitations)
    .where(and(gt(authInvitations.expiresAt, clock()), isNull(authInvitations.personId)));
  if ((waiting?.count ?? 0) >= INVITATIONS_MAX) {
    throw new AppError("VALIDATION", `there are already ${INVITATIONS_MAX} invitations waiting`);
  }
  const token = newOpaqueToken();
  const hash = hashToken(token);
  const endMs = toMillis(clock()) + INVITATION_MS;
  const expiresAt = fromMillis(endMs);
  const change = new AuditedChange(context, {
    action: "auth.person.invite",
    object: `invitations/${hash}`,
  });
  const made = await change.store(
    db
      .insert(authInvitations)
      .select(
        sql`
          SELECT ${hash}, ${email}, ${stringifyJson(scopes)}, NULL, ${expiresAt}, ${Number(next.hasAll)},
            ${actor.maker}, ${toAuthorityColumn(actor.authority)}, ${stringifyJson(ledgers)}
          WHERE ${holds}`,
      )
      .returning({ hash: authInvitations.hash }),
  );
  if (made.length === 0) return undefined;
  await armClock(env, LOGINS_SWEEP, endMs + 1);
  return { token, email, scopes, ledgers, personId: undefined, expiresAt };
}

/** The invitation of a link's token; undefined if it was accepted or has expired, or people log in at another provider. */
export async function findInvitation(
  { env, clock }: ServiceContext,
  token: string,
): Promise<Invitation | undefined> {
  if (authSettings.of(env).FLORIN_LOGIN_ISSUER !== undefined) return undefined;
  const [row] = await databaseOf(env)
    .select()
    .from(authInvitations)
    .where(and(eq(authInvitations.hash, hashToken(token)), gt(authInvitations.expiresAt, clock())));
  if (row === undefined) return undefined;
  const scopes = parseJson(row.scopes) as string[]; // `tryToInvite` and `storePersonLink` have written it
  const ledgers = parseJson(row.ledgers) as string[]; // JSON of a list, too
  const { email, expiresAt } = row;
  return { email, scopes, ledgers, personId: row.personId ?? undefined, expiresAt };
}

export interface Acceptance {
  readonly token: string;
  /** The address that the person has typed. It counts only if the invitation has none. */
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/**
 * Makes a person by an invitation and ends the invitation. Returns the person's id. Throws `NOT_FOUND` for an invitation that has
 * ended, and `CONFLICT` for an e-mail address that somebody has.
 */
export async function acceptInvitation(
  context: ServiceContext,
  { token, email: typed, name, password }: Acceptance,
): Promise<string> {
  const { env } = context;
  const invitation = await findInvitation(context, token);
  if (invitation === undefined || invitation.personId !== undefined) throw invitationGone();
  await assertRoom(env);
  const id = newId();
  const email = invitation.email === "" ? typed : invitation.email;
  const hash = hashToken(token);
  const derive = deriveFor(env, { key: `link:${hash}`, isKnown: true });
  const stored = await hashPassword(password, derive);
  const isStored = await storePerson(context, { id, email, name, password: stored, hash });
  if (isStored) return id;
  if ((await findInvitation(context, token)) === undefined) throw invitationGone();
  throw new AppError("CONFLICT", `there is already a person with the e-mail address ${email}`);
}

/** Stores the person and ends the invitation, both or neither. Returns false if the invitation or the e-mail address is taken by then. */
async function storePerson(
  context: ServiceContext,
  person: { id: string; email: string; name: string; password: string; hash: string },
): Promise<boolean> {
  const { id, email, name, password, hash } = person;
  const db = databaseOf(context.env);
  const change = new AuditedChange(context, {
    action: "auth.person.create",
    object: `users/${id}`,
  });
  const isThere = db
    .select({ one: sql`1` })
    .from(authPeople)
    .where(eq(authPeople.id, id));
  const added = await change.store(
    db
      .insert(authPeople)
      .select(
        sql`
          SELECT NULL, ${id}, '', ${id}, ${email}, 0, ${name}, scopes, ${loginOf(email)}, ${password},
            has_all_scopes, authority, ${newId()}, ledgers
          FROM auth_invitations
          WHERE hash = ${hash} AND person_id IS NULL AND expires_at > ${context.clock()}`,
      )
      .onConflictDoNothing()
      .returning({ id: authPeople.id }),
    db.delete(authInvitations).where(and(eq(authInvitations.hash, hash), exists(isThere))),
  );
  return added.length > 0;
}

/** Throws `VALIDATION` if people log in at another provider, where our links are of no use. `then` ends the sentence. */
export function assertOwnLogin(env: Env, then = "and need no invitation"): void {
  const { FLORIN_LOGIN_ISSUER: issuer } = authSettings.of(env);
  if (issuer === undefined) return;
  throw new AppError("VALIDATION", `people log in at ${issuer} ${then}`);
}

/** Throws `VALIDATION` if there are too many people. Two requests at once may exceed the limit by one, which does no harm. */
export async function assertRoom(env: Env): Promise<void> {
  if ((await new PeopleStore(env).count()) < PEOPLE_MAX) return;
  throw new AppError("VALIDATION", `there are already ${PEOPLE_MAX} people`);
}

export const invitationGone = (): AppError =>
  new AppError("NOT_FOUND", "the invitation has been used or has expired; ask for another one");
