import { env } from "cloudflare:workers";

/** Moves the end of all tokens with a holder's former scopes into the past. */
export const forgetFormer = (holder: string): Promise<unknown> =>
  env.DB.prepare("UPDATE auth_former_authorities SET expires_ms = 0 WHERE holder = ?")
    .bind(holder)
    .run();
