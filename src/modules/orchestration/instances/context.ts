import type { FlowInstance } from "./instance.ts";
import { allowsLedger } from "#platform/access/ledger-patterns.ts";
import { type Principal, type ServiceContext } from "#platform/context.ts";
import { allows, type Scope } from "#platform/http/authenticator.ts";

/** The client that acts where an instance writes. */
const CLIENT_ID = "florin/orchestration";

/** The context in which an instance calls other modules: it acts for the principal who has started it. */
export const contextOf = (
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { id, principal, causationDepth }: Pick<FlowInstance, "id" | "principal" | "causationDepth">,
): ServiceContext => ({
  env,
  clock,
  principal: { ...principal, clientId: CLIENT_ID },
  requestId: `instance:${id}`,
  causationDepth,
});

/** An instance calls another module without the scope or the ledger that the call needs. */
export class PermissionError extends Error {
  override readonly name = "PermissionError";
}

/** Throws `PermissionError` where a principal lacks a scope, or may not touch a ledger. */
export function assertMay(
  { scopes, ledgers }: Principal,
  { scope, ledger }: { readonly scope: Scope; readonly ledger?: string },
): void {
  if (!allows(scopes, scope)) {
    throw new PermissionError(`the instance was started without the scope ${scope}`);
  }
  if (ledger !== undefined && !allowsLedger(ledgers, ledger)) {
    throw new PermissionError(`the instance was started without access to the ledger '${ledger}'`);
  }
}
