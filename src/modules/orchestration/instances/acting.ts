import { knownScopes } from "#platform/access/known-scopes.ts";
import { outOfReach } from "#platform/access/ledger-patterns.ts";
import type { Principal } from "#platform/context.ts";
import { allows, type Scope } from "#platform/http/authenticator.ts";

/**
 * Whoever lets something go on that acts for somebody else may do as much as that one. `what` names it: `the instance`. Throws
 * `UNAUTHENTICATED` otherwise.
 */
export function assertMayActAs({ scopes }: Principal, actor: Principal, what: string): void {
  const lacking = knownScopes().filter(
    (scope) => allows(actor.scopes, scope as Scope) && !allows(scopes, scope as Scope), // modules declare no others
  );
  if (lacking.length === 0) return;
  throw outOfReach(
    `${what} acts for somebody who may do more than you. You lack: ${lacking.join(", ")}`,
  );
}
