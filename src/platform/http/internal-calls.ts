import { allows, type Authenticator } from "./authenticator.ts";
import { present } from "#platform/assert.ts";
import type { Principal } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** Answers a request, as the Worker does. */
type Serve = (request: Request, env: Env) => Response | Promise<Response>;

let registered: Serve | undefined;

/** Makes the app known to those who call it from inside. Who wires the modules together calls it once. */
export function registerApp(serve: Serve): void {
  registered = serve;
}

/** Who acts in requests that were made inside of the process. Nobody outside can make such a request. */
const principals = new WeakMap<Request, Principal>();

/** A host that is served whatever the settings are. The call does not leave the process. */
const INSIDE = "http://localhost";

/** Reads a path of the own API in the name of a principal, with no more than its scopes. */
export async function readInternally(
  env: Env,
  { path, principal }: { readonly path: string; readonly principal: Principal },
): Promise<Response> {
  const request = new Request(new URL(path, INSIDE), { headers: { accept: "application/json" } });
  principals.set(request, principal);
  return present(registered, "the app was registered")(request, env);
}

/** Whether a request was made inside of the process. */
export const isInternal = (request: Request): boolean => principals.has(request);

/** How a request that was made inside is authenticated; undefined for all others. */
export function internalAuthenticator(request: Request): Authenticator | undefined {
  const principal = principals.get(request);
  if (principal === undefined) return undefined;
  return (_request, scope) => {
    if (allows(principal.scopes, scope)) return principal;
    throw new AppError("UNAUTHENTICATED", `the scope ${scope} is missing`);
  };
}
