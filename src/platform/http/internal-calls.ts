import { allows, type Authenticator } from "./authenticator.ts";
import type { Principal, ReadOwnApi } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** Answers a request, as the Worker does. */
type Serve = (request: Request, env: Env) => Response | Promise<Response>;

/** A host that is served with any settings. An internal call does not leave the process. */
const INSIDE = "http://localhost";

/** A request that was made inside of the process, in the name of a principal. The runtime makes requests from outside, of another class. */
class InternalRequest extends Request {
  readonly principal: Principal;

  constructor(method: string, path: string, principal: Principal) {
    super(new URL(path, INSIDE), { method, headers: { accept: "application/json" } });
    this.principal = principal;
  }
}

/** Makes a reader of the API that `serve` answers. */
export const ownApiReader =
  (serve: Serve, env: Env): ReadOwnApi =>
  async (path, principal) =>
    serve(new InternalRequest("GET", path, principal), env);

/** Calls an operation that takes no body, inside of the process, in the name of a principal. */
export type CallOwnApi = (method: string, path: string, principal: Principal) => Promise<Response>;

/** Makes a caller of the API that `serve` answers. */
export const ownApiCaller =
  (serve: Serve, env: Env): CallOwnApi =>
  async (method, path, principal) =>
    serve(new InternalRequest(method, path, principal), env);

/** Whether a request was made inside of the process. */
export const isInternal = (request: Request): boolean => request instanceof InternalRequest;

/** The authenticator of an internal request; undefined for all other requests. */
export function internalAuthenticator(request: Request): Authenticator | undefined {
  if (!(request instanceof InternalRequest)) return undefined;
  const { principal } = request;
  return (_request, scope) => {
    if (allows(principal.scopes, scope)) return principal;
    throw new AppError("UNAUTHENTICATED", `the scope ${scope} is missing`);
  };
}
