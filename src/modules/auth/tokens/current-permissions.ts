import type { Credential } from "#modules/auth/core/client.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { isStandardScope, mayHave } from "#modules/auth/core/scopes.ts";
import { findPerson } from "#modules/auth/people/find-person.ts";
import { commonPatterns } from "#platform/access/ledger-patterns.ts";
import type { ServiceContext } from "#platform/context.ts";

/** What a token for a person may do. */
export interface TokenPermissions {
  readonly scopes: readonly string[];
  /** Patterns of the only ledgers that the token reaches; empty for all. */
  readonly ledgers: readonly string[];
  /** All scopes of the person. */
  readonly ofPerson: readonly string[];
}

/**
 * The granted scopes that the client and the person still have, and the ledgers that both reach. Throws `OAuthError` if the person is gone,
 * or if the two have no ledger in common.
 */
export async function currentPermissions(
  context: ServiceContext,
  client: Credential,
  grant: { readonly subject: string; readonly scopes: readonly string[] },
): Promise<TokenPermissions> {
  const person = await findPerson(context, grant.subject);
  if (person === undefined) throw new OAuthError("invalid_grant", "the person is gone");
  const ledgers = commonPatterns(client.ledgers, person.ledgers);
  if (ledgers === undefined) {
    throw new OAuthError("invalid_grant", "the client and the person are bound to other ledgers");
  }
  const scopes = grant.scopes.filter(
    (scope) =>
      isStandardScope(scope) || (client.scopes.includes(scope) && mayHave(person.scopes, scope)),
  );
  return { scopes, ledgers, ofPerson: person.scopes };
}
