import type { Settings } from "../settings.ts";
import type { Authenticator } from "./authenticator.ts";

/** What a request carries through middleware and handlers. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    settings: Settings;
    authenticate: Authenticator;
  };
}
