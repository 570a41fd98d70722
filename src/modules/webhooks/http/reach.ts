import type { Context } from "hono";
import { asClient } from "#modules/auth/index.ts";
import { scopesOfEvent } from "#platform/access/event-scopes.ts";
import { knownScopes } from "#platform/access/known-scopes.ts";
import { outOfReach } from "#platform/access/ledger-patterns.ts";
import { allows } from "#platform/http/authenticator.ts";
import { type AppEnv, deploymentOf } from "#platform/http/index.ts";

/**
 * Throws `UNAUTHENTICATED` if the caller of a request may not read events of some types: `ledger.committed_transactions` needs
 * `ledger:read`, and types whose payloads hold data of other modules need the scopes of these, too. Whoever chooses the endpoint of events, or knows the secret that signs them, can read them. As for workflows, a
 * client that acts for itself has all scopes that it may ask for, not only those of its token.
 */
export async function assertReadsEvents(
  c: Context<AppEnv>,
  eventTypes: readonly string[],
): Promise<void> {
  const { principal } = await asClient(c.var.context, deploymentOf(c).scopes);
  const needed = new Set(eventTypes.flatMap(scopesOfEvent));
  const lacking = [...needed].filter(
    (scope) => knownScopes().includes(scope) && !allows(principal.scopes, scope),
  );
  if (lacking.length === 0) return;
  throw outOfReach(
    `the config sends events that you may not read. You lack: ${lacking.join(", ")}`,
  );
}
