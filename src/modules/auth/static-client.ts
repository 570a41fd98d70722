import { hashSecret } from "./client-secret.ts";
import type { Credential } from "./core/client.ts";
import { SCOPED_MODULES } from "#platform/http/authenticator.ts";
import type { Settings } from "#platform/settings.ts";

/** Every scope that means something here. */
export const KNOWN_SCOPES: readonly string[] = [
  "openid",
  ...SCOPED_MODULES.flatMap((module) => [`${module}:read`, `${module}:write`]),
];

/** The first client, which the settings describe: it may have all scopes, and the API neither shows nor changes it. */
export function staticClient(settings: Settings): Credential | undefined {
  const { FLORIN_CLIENT_ID: clientId, FLORIN_CLIENT_SECRET: secret } = settings;
  if (clientId === undefined || secret === undefined) return undefined;
  return { clientId, public: false, scopes: KNOWN_SCOPES, secretHashes: [hashSecret(secret)] };
}
