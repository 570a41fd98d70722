import type { Principal } from "#platform/context.ts";

/** A permission of a token in a module; `<module>:write` implies `<module>:read`. Modules declare their scopes. */
export type Scope = `${string}:${"read" | "write"}`;

/**
 * Gives the principal of a request with a valid token that has the scope, at once if the token is known. Throws `UNAUTHENTICATED` if the
 * token is absent, malformed, expired, foreign, or lacks the scope.
 */
export type Authenticator = (request: Request, scope: Scope) => Principal | Promise<Principal>;

const READ = ":read";

/** Whether granted scopes include `scope`. */
export function allows(granted: ReadonlySet<string>, scope: Scope): boolean {
  if (granted.has(scope)) return true;
  return scope.endsWith(READ) && granted.has(`${scope.slice(0, -READ.length)}:write`);
}
