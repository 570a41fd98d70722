import type { Credential } from "#modules/auth/core/client.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { isStandardScope, mayHave } from "#modules/auth/core/scopes.ts";
import { findPerson } from "#modules/auth/people/find-person.ts";
import type { ServiceContext } from "#platform/context.ts";

/** The granted scopes that the client and the person still have. Throws `OAuthError` if the person is gone. */
export async function currentScopes(
  context: ServiceContext,
  client: Credential,
  grant: { readonly subject: string; readonly scopes: readonly string[] },
): Promise<readonly string[]> {
  const person = await findPerson(context, grant.subject);
  if (person === undefined) throw new OAuthError("invalid_grant", "the person is gone");
  return grant.scopes.filter(
    (scope) =>
      isStandardScope(scope) || (client.scopes.includes(scope) && mayHave(person.scopes, scope)),
  );
}
