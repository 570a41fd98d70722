import { createHash, createHmac } from "node:crypto";
import type { UpstreamLogin } from "./provider.ts";
import type { LoginKey } from "#modules/auth/authorize/logins.ts";

/**
 * What a login at the provider is bound to. All of it follows from the browser's cookie and the id of the login, so that no
 * secret has to be stored; who knows the URL of the callback alone cannot compute the verifier.
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
