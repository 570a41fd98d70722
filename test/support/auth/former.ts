import { env } from "cloudflare:workers";

/** Lets so much time pass that no token of former scopes lives any more. */
export const forgetFormer = (holder: string): Promise<unknown> =>
  env.DB.prepare("UPDATE auth_former_authorities SET expires_ms = 0 WHERE holder = ?")
    .bind(holder)
    .run();
