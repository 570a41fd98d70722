import type { EndUser } from "./end-user.ts";
import { PeopleStore } from "./store.ts";
import { deleteGrantsOf } from "#modules/auth/grants/grant-store.ts";
import { armRevocationSweep, revocationIfChanged } from "#modules/auth/revocations/revoke.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** All people, in the order in which they came. */
export const listPeople = ({ env }: ServiceContext): Promise<EndUser[]> =>
  new PeopleStore(env).list();

export async function getPerson({ env }: ServiceContext, id: string): Promise<EndUser> {
  const person = await new PeopleStore(env).find(id);
  return person ?? noUser(id);
}

/** What a person's tokens may have from now on. Tokens that were given before keep what they have. */
export async function setScopes(
  context: ServiceContext,
  id: string,
  scopes: readonly string[],
): Promise<EndUser> {
  const change = audited(context, "scopes", id);
  if (!(await new PeopleStore(context.env).setScopes(id, scopes, change))) noUser(id);
  return getPerson(context, id);
}

/** Deletes a person, if there is one: the sessions end at once, and the tokens within a minute. */
export async function deletePerson(context: ServiceContext, id: string): Promise<void> {
  await new PeopleStore(context.env).delete(id, audited(context, "delete", id), [
    revocationIfChanged(context, { kind: "subject", value: id }),
    ...deleteGrantsOf(context, { subject: id }),
  ]);
  await armRevocationSweep(context);
}

const audited = (context: ServiceContext, verb: string, id: string): AuditedChange =>
  new AuditedChange(context, { action: `auth.person.${verb}`, object: `users/${id}` });

function noUser(id: string): never {
  throw new AppError("NOT_FOUND", `there is no user '${id}'`);
}
