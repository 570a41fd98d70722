import type { Principal } from "#platform/context.ts";
import type { AppError } from "#platform/errors.ts";

/**
 * A permission of a token in a module; `<module>:write` implies `<module>:read`. `florin:operate` is for those who look after the deployment
 * itself, and implies nothing. Modules declare their scopes.
 */
export type Scope = `${string}:${"read" | "write" | "operate"}`;

/**
 * Gives the principal of a request with a valid token that has the scope, at once if the token is known. Throws `UNAUTHENTICATED` if the
 * token is absent, malformed, expired, foreign, or lacks the scope.
 */
export type Authenticator = (request: Request, scope: Scope) => Principal | Promise<Principal>;

const refused = new WeakMap<AppError, Principal>();

/** Notes whose valid token a refusal is about. Returns the refusal. */
export function refusalOf(principal: Principal, error: AppError): AppError {
  refused.set(error, principal);
  return error;
}

/** The principal of a refusal that `refusalOf` has noted; undefined for all other errors. */
export const refusedPrincipal = (error: AppError): Principal | undefined => refused.get(error);

const READ = ":read";

/** Whether granted scopes include `scope`. */
export function allows(granted: ReadonlySet<string>, scope: Scope): boolean {
  if (granted.has(scope)) return true;
  return scope.endsWith(READ) && granted.has(`${scope.slice(0, -READ.length)}:write`);
}
