import { createHash, createHmac } from "node:crypto";
import type { UpstreamLogin } from "./provider.ts";
import type { LoginKey } from "#modules/auth/authorize/logins.ts";

/**
 * The values that bind a login at the provider to a browser. All of them are derived from the browser's cookie and the login's
 * id, so no secret is stored. The verifier cannot be computed from the URL of the callback alone.
 */
export function upstreamLogin(issuer: string, { id, browser }: LoginKey): UpstreamLogin {
  const derive = (purpose: string): string =>
    createHmac("sha256", browser).update(`${purpose}:${id}`).digest("base64url");
  const codeVerifier = derive("code verifier");
  return {
    state: id,
    nonce: derive("nonce"),
    codeVerifier,
    codeChallenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    redirectUri: `${issuer}/authorize/callback`,
  };
}
