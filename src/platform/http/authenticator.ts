import type { Principal } from "#platform/context.ts";

/** What a token allows in a module; `<module>:write` implies `<module>:read`. Modules declare theirs. */
export type Scope = `${string}:${"read" | "write"}`;

/**
 * Gives who acts, at once where the token is known, when the request carries a valid token with the scope. Throws `UNAUTHENTICATED`
 * otherwise, whatever the reason: absent, malformed, expired, foreign or lacking the scope.
 */
export type Authenticator = (request: Request, scope: Scope) => Principal | Promise<Principal>;

const READ = ":read";

/** Whether granted scopes allow what `scope` names. */
export function allows(granted: ReadonlySet<string>, scope: Scope): boolean {
  if (granted.has(scope)) return true;
  return scope.endsWith(READ) && granted.has(`${scope.slice(0, -READ.length)}:write`);
}
