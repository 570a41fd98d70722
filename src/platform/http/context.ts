import type { Context } from "hono";
import type { Authenticator } from "./authenticator.ts";
import type { Ticket } from "#platform/admission/fair-gate.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

/**
 * What a request carries to its handler. `c.get` reads one of the variables; `c.var` copies all of them each time, so that code which
 * every request runs, and the handlers of a ledger, use `get`. There are few of them, because each takes its time in every request.
 */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    request: RequestFacts;
    /** What the handler passes to use cases. It is set once the token is checked. */
    context: ServiceContext;
  };
}

/** What is known of a request before its operation is. */
export interface RequestFacts {
  /** Its name in answers and logs. */
  readonly id: string;
  /** The runtime makes the text anew each time that the request is asked for it. */
  readonly url: string;
  readonly deployment: Deployment;
  /** Whether the answer has the common headers already. */
  hasCommonHeaders: boolean;
  /** Its part of the budget of whoever sends it, which is given back when the request ends, or the last of its answer is sent. */
  ticket: Ticket | undefined;
}

/** What all requests of an environment have in common. */
export interface Deployment {
  readonly settings: PlatformSettings;
  /** All scopes that the modules have. */
  readonly scopes: readonly string[];
  readonly authenticate: Authenticator;
  /** Whether nobody has to say who they are: then no other origin may read answers, and reads hide secrets. */
  readonly isOpenToAll: boolean;
}

export const deploymentOf = (c: Context<AppEnv>): Deployment => c.get("request").deployment;
