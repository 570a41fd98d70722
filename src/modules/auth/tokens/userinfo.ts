import type { EndUser } from "#modules/auth/core/end-user.ts";
import { OPENID_SCOPE, splitScopes } from "#modules/auth/core/scopes.ts";
import { GrantStore } from "#modules/auth/grants/grant-store.ts";
import { findPerson } from "#modules/auth/people/find-person.ts";
import type { ReadToken } from "#modules/auth/verification/token-claims.ts";
import type { ServiceContext } from "#platform/context.ts";

/** A person, and the scopes by which a client may see the claims. */
export interface UserInfo {
  readonly person: EndUser;
  /** The scopes that the person has allowed the client. */
  readonly scopes: ReadonlySet<string>;
}

/** The person of an access token; undefined if the token is not of this server, has no person, or lacks the scope `openid`. */
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
