import { type IssuerTrust, TokenVerifier } from "./token-verifier.ts";
import { fetchIssuerKeys } from "./trusted-issuer.ts";
import { KeyCache } from "#modules/auth/keys/key-cache.ts";
import { SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import { RevocationList } from "#modules/auth/revocations/revocation-list.ts";
import { loadRevocations } from "#modules/auth/revocations/store.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { systemFetch } from "#platform/http/outbound.ts";
import { memoByEnv } from "#platform/memo.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/** Shortest time between two reads of our own keys from the database because of an unknown key, in milliseconds. */
const OWN_KEYS_PAUSE_MS = 1000;
/**
 * Shortest time between two fetches of an issuer's keys because of an unknown key, in milliseconds. Without it, somebody who
 * sends tokens with invented key ids could make Florin flood the issuer.
 */
const TRUSTED_KEYS_PAUSE_MS = 30_000;
/** Most fetches of an issuer's keys at once. Until the first one is answered, every token would cause one. */
const TRUSTED_LOADS_MAX = 20;
/** Most verified tokens that an isolate remembers. Each takes a few kilobytes at most. */
const VERIFIED_TOKENS_MAX = 4096;

/** The verifier of tokens, made once for each environment. */
export const verifierOf = memoByEnv((env: Env) => {
  const settings = authSettings.of(env);
  const nowMs = () => Date.now();
  const ownKeys = new KeyCache({
    issuer: "this server",
    load: () => SigningKeys.from(env).verifiers(),
    nowMs,
    pauseMs: OWN_KEYS_PAUSE_MS,
    isPersistent: true,
  });
  const policy = { allowPrivateHosts: platformSettings.of(env).FLORIN_ALLOW_PRIVATE_HOSTS };
  const access = { fetch: systemFetch(env), policy };
  const trusted = settings.FLORIN_TRUSTED_ISSUERS.map(
    ({ issuer, audiences }): [string, IssuerTrust] => {
      const load = () => fetchIssuerKeys(issuer, access);
      const pauseMs = TRUSTED_KEYS_PAUSE_MS;
      const keys = new KeyCache({ issuer, load, nowMs, pauseMs, loadsMax: TRUSTED_LOADS_MAX });
      return [issuer, { keys, audiences }];
    },
  );
  return new TokenVerifier({
    publicUrl: platformSettings.of(env).FLORIN_PUBLIC_URL,
    ownKeys,
    trusted: new Map(trusted),
    revocations: new RevocationList({ load: (afterId) => loadRevocations(env, afterId), nowMs }),
    nowMs,
    tokensMax: VERIFIED_TOKENS_MAX,
  });
});
