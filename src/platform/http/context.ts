import type { Authenticator } from "./authenticator.ts";
import type { Settings } from "#platform/settings.ts";

/** What a request carries through middleware and handlers. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    settings: Settings;
    authenticate: Authenticator;
  };
}
