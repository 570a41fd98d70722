import type { Authenticator } from "./authenticator.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

/**
 * What a request carries through middleware and handlers. `c.get` reads one of the variables; `c.var` copies all of them
 * each time, so that code which every request runs, and the handlers of a ledger, use `get`.
 */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    settings: PlatformSettings;
    /** All scopes that the modules have. */
    scopes: readonly string[];
    authenticate: Authenticator;
    /** Whether reads hide secrets, because nobody has to say who they are. */
    masksSecrets?: boolean;
    /** Whether no other origin may read answers. */
    isSilent: boolean;
    /** Whether the answer has the common headers already. */
    hasCommonHeaders?: boolean;
    /** What the handler passes to use cases. It is set once the token is checked. */
    context: ServiceContext;
  };
}
