import { asClient } from "./as-client.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { allows, type Scope } from "#platform/http/authenticator.ts";

/** Refuses scopes that who acts could not have: nobody gives others more than that. `allScopes` are those that modules have. */
export async function assertMayGive(
  context: ServiceContext,
  scopes: readonly string[],
  allScopes: readonly string[],
): Promise<void> {
  const { principal } = await asClient(context, allScopes);
  // Texts of another form are compared as they are.
  const missing = scopes.filter((scope) => !allows(principal.scopes, scope as Scope));
  if (missing.length === 0) return;
  throw new AppError(
    "VALIDATION",
    `you may not give scopes that you do not have yourself: ${missing.join(", ")}`,
  );
}
