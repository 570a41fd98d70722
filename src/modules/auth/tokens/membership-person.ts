import type { EndUser } from "#modules/auth/core/end-user.ts";
import type { MembershipKind } from "#modules/auth/core/membership.ts";
import { GrantStore } from "#modules/auth/grants/grant-store.ts";
import { findPerson } from "#modules/auth/people/find-person.ts";
import { findClient } from "#modules/auth/registry/find-client.ts";
import { invalidToken, type ReadToken } from "#modules/auth/verification/token-claims.ts";
import type { ServiceContext } from "#platform/context.ts";

/** The person of a root or organisation token, which is verified. Throws `UNAUTHENTICATED` if the grant has ended, or its client or person is gone. */
export async function membershipPerson(
  context: ServiceContext,
  { grantId }: Pick<ReadToken, "grantId">,
  kinds: readonly MembershipKind[],
): Promise<EndUser> {
  const grant =
    grantId === undefined ? undefined : await GrantStore.from(context).findGrant(grantId);
  const isOfKind =
    grant !== undefined && grant.membership !== null && kinds.includes(grant.membership);
  const [client, person] = isOfKind
    ? await Promise.all([
        findClient(context.env, grant.clientId),
        findPerson(context, grant.subject),
      ])
    : [];
  if (client === undefined || person === undefined)
    throw invalidToken("the login of the token has ended");
  return person;
}
