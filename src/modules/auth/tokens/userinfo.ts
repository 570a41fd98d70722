import type { EndUser } from "#modules/auth/core/end-user.ts";
import { OPENID_SCOPE, splitScopes } from "#modules/auth/core/scopes.ts";
import { GrantStore } from "#modules/auth/grants/grant-store.ts";
import { findPerson } from "#modules/auth/people/find-person.ts";
import type { ReadToken } from "#modules/auth/verification/token-verifier.ts";
import type { ServiceContext } from "#platform/context.ts";

/** A person as a client may see them. */
export interface UserInfo {
  readonly person: EndUser;
  /** What the person has allowed. */
  readonly scopes: ReadonlySet<string>;
}

/** Whom an access token is about; undefined where that is nobody who can log in here, or the client has not asked who it is. */
export async function userInfo(
  context: ServiceContext,
  { isOwn, grantId, scope }: ReadToken,
): Promise<UserInfo | undefined> {
  if (!isOwn || grantId === undefined || !splitScopes(scope).has(OPENID_SCOPE)) return undefined;
  const grant = await GrantStore.from(context).findGrant(grantId);
  if (grant === undefined) return undefined;
  const person = await findPerson(context, grant.subject);
  return person === undefined ? undefined : { person, scopes: splitScopes(grant.scopes) };
}
