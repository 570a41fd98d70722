import { knownScopes } from "#platform/access/known-scopes.ts";
import { outOfReach } from "#platform/access/ledger-patterns.ts";
import type { Principal } from "#platform/context.ts";
import { allows, type Scope } from "#platform/http/authenticator.ts";

/**
 * Checks that a principal may let something go on that acts for `actor`: the principal needs every scope that the actor has. `what` names
 * the thing in the message, such as `the instance`. Throws `UNAUTHENTICATED` otherwise.
 */
export function assertMayActAs({ scopes }: Principal, actor: Principal, what: string): void {
  const lacking = knownScopes().filter(
    (scope) => allows(actor.scopes, scope as Scope) && !allows(scopes, scope as Scope), // `knownScopes` gives scopes only
  );
  if (lacking.length === 0) return;
  throw outOfReach(
    `${what} acts for somebody who may do more than you. You lack: ${lacking.join(", ")}`,
  );
}
