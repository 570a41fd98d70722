import { and } from "drizzle-orm";
import { hasUnchangedAuthority } from "#modules/auth/authority/conditions.ts";
import { armFormerAuthoritySweep, recordFormerAuthority } from "#modules/auth/authority/former.ts";
import {
  authorityOfPermissions,
  authorityOfPerson,
  type PersonPermissions,
} from "#modules/auth/authority/holders.ts";
import { type Authority, covers, endsWith, isFull } from "#modules/auth/core/authority.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { deleteGrantsOf } from "#modules/auth/grants/grant-store.ts";
import { PeopleStore } from "#modules/auth/people/store.ts";
import { authPeople } from "#modules/auth/people/tables.ts";
import { actorKey } from "#modules/auth/permits/actor.ts";
import {
  assertLeavesAdministrator,
  leavesAdministrator,
} from "#modules/auth/permits/administrators.ts";
import { endCredentials } from "#modules/auth/permits/end-credentials.ts";
import { endLinksOf } from "#modules/auth/permits/links.ts";
import { retryOnConflict, permit } from "#modules/auth/permits/permit.ts";
import { armRevocationSweep, revocationIfChanged } from "#modules/auth/revocations/revoke.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";

export interface PermissionChange extends Pick<PersonPermissions, "scopes"> {
  readonly ledgers?: PersonPermissions["ledgers"] | undefined;
}

/** All people, in the order in which they were added. */
export const listPeople = ({ env }: ServiceContext): Promise<EndUser[]> =>
  new PeopleStore(env).list();

export async function getPerson({ env }: ServiceContext, id: string): Promise<EndUser> {
  const person = await new PeopleStore(env).find(id);
  return person ?? noUser(id);
}

/**
 * Replaces the permissions of a person; without `ledgers`, the binding stays. Access tokens that were issued before keep theirs. If the person gets more, the password, the
 * passkeys and the sessions end if they go back to a link whose maker could not have given so much (`endsWith`). Throws
 * `NOT_FOUND`, `VALIDATION` and `CONFLICT`.
 */
export async function setPermissions(
  context: ServiceContext,
  id: string,
  { scopes, ledgers: given }: PermissionChange,
): Promise<EndUser> {
  await retryOnConflict(async () => {
    const known = await getPerson(context, id);
    const ledgers = given ?? known.ledgers;
    const target = targetOf(known, authorityOfPermissions({ scopes, ledgers }));
    const { now, next } = target;
    const { actor, holds } = await permit(context, target);
    if (!isFull(next)) await assertLeavesAdministrator(context, actor, id);
    const condition = isFull(next)
      ? holds
      : (and(holds, leavesAdministrator(context, actor, id)) ?? holds);
    const version = newId();
    const isChanged = hasUnchangedAuthority(authPeople, { id, version });
    const isSame = covers(now, next) && covers(next, now);
    const isEnded = known.vouchedBy !== undefined && endsWith(target, known.vouchedBy);
    const changed = await new PeopleStore(context.env).setPermissions(
      { id, scopes, hasAllScopes: next.hasAll, ledgers, version },
      {
        before: isSame ? [] : [recordFormerAuthority(context, target, { now, condition })],
        audited: audited(context, "scopes", id),
        condition,
        others: [
          ...(isEnded ? [audited(context, "credentials.revoke", id).entry] : []),
          ...(isEnded ? endCredentials(context, id, isChanged) : []),
          ...(covers(next, now) ? [] : [endLinksOf(context, actorKey("person", id), isChanged)]),
        ],
      },
    );
    return changed ? true : undefined;
  });
  await Promise.all([armFormerAuthoritySweep(context), armRevocationSweep(context)]);
  return getPerson(context, id);
}

/**
 * Deletes a person, if there is one. The sessions end at once, and the access tokens within a minute. Throws as `setPermissions` does,
 * except `NOT_FOUND`.
 */
export async function deletePerson(context: ServiceContext, id: string): Promise<void> {
  await retryOnConflict(async () => {
    const known = await new PeopleStore(context.env).find(id);
    if (known === undefined) return true;
    const target = targetOf(known);
    const { actor, holds } = await permit(context, target);
    await assertLeavesAdministrator(context, actor, id);
    const condition = and(holds, leavesAdministrator(context, actor, id)) ?? holds;
    const isGone = PeopleStore.isGone(id);
    const isDeleted = await new PeopleStore(context.env).delete(id, {
      before: [recordFormerAuthority(context, target, { now: target.now, condition })],
      audited: audited(context, "delete", id),
      condition,
      others: [
        revocationIfChanged(context, { kind: "subject", value: id }),
        ...deleteGrantsOf(context, { subject: id }, isGone),
        endLinksOf(context, actorKey("person", id), isGone),
      ],
    });
    return isDeleted ? true : undefined;
  });
  await Promise.all([armFormerAuthoritySweep(context), armRevocationSweep(context)]);
}

/** A person as the target of a change (`permit`). */
export function targetOf<N extends Authority | undefined = undefined>(person: EndUser, next?: N) {
  return {
    kind: "person" as const,
    id: person.id,
    now: authorityOfPerson(person),
    next: next as N,
    stillIs: hasUnchangedAuthority(authPeople, person),
  };
}

const audited = (context: ServiceContext, verb: string, id: string): AuditedChange =>
  new AuditedChange(context, { action: `auth.person.${verb}`, object: `users/${id}` });

function noUser(id: string): never {
  throw new AppError("NOT_FOUND", `there is no user '${id}'`);
}
