import { ApiClient } from "./client.ts";
import { Session } from "./session.ts";

/** The session of this page, and the client that uses its tokens. */
export const session = new Session();
export const florin = new ApiClient(session);

/**
 * Whether the person may do what a scope allows. Who may write may read. Wallets are all in one ledger, and whoever is bound to others may do
 * nothing with them.
 */
export function may(scope: string): boolean {
  const { state } = session;
  const isOutOfReach = state.kind === "person" && !state.grant.reachesWallets;
  return hasScope(scope) && !(isOutOfReach && scope.startsWith("wallets:"));
}

/** Whether the person has a scope, also where the ledgers that the person is bound to leave nothing of it. */
export function hasScope(scope: string): boolean {
  const { state } = session;
  if (state.kind === "open") return true;
  if (state.kind === "nobody") return false;
  const { scopes } = state.grant;
  return scopes.includes(scope) || scopes.includes(scope.replace(/:read$/, ":write"));
}

/** Patterns of the only ledgers that the person reaches; empty for all. What concerns all ledgers is closed to who is bound. */
export function boundLedgers(): readonly string[] {
  const { state } = session;
  return state.kind === "person" ? state.grant.ledgers : [];
}
