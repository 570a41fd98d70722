import { allows, type Authenticator } from "./authenticator.ts";
import { present } from "#platform/assert.ts";
import type { Principal } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** Answers a request, as the Worker does. */
type Serve = (request: Request, env: Env) => Response | Promise<Response>;

let registered: Serve | undefined;

/** Records the app for internal calls. The code that wires the modules together calls it once. */
export function registerApp(serve: Serve): void {
  registered = serve;
}

/** The principals of internal requests. A request from outside is never in this map. */
const principals = new WeakMap<Request, Principal>();

/** A host that is served with any settings. An internal call does not leave the process. */
const INSIDE = "http://localhost";

/** Reads a path of Florin's own API in the name of a principal, with the principal's scopes. */
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

/** The authenticator of an internal request; undefined for all other requests. */
export function internalAuthenticator(request: Request): Authenticator | undefined {
  const principal = principals.get(request);
  if (principal === undefined) return undefined;
  return (_request, scope) => {
    if (allows(principal.scopes, scope)) return principal;
    throw new AppError("UNAUTHENTICATED", `the scope ${scope} is missing`);
  };
}
