import { hashSecret } from "./client-secret.ts";
import type { Credential } from "#modules/auth/core/client.ts";
import type { AuthSettings } from "#modules/auth/settings.ts";

/** The first client, which the settings describe; undefined if they name none. It may have all scopes, and the API neither shows nor changes it. */
export function staticClient(
  settings: AuthSettings,
  scopes: readonly string[],
): Credential | undefined {
  const { FLORIN_CLIENT_ID: clientId, FLORIN_CLIENT_SECRET: secret } = settings;
  if (clientId === undefined || secret === undefined) return undefined;
  return {
    clientId,
    public: false,
    trusted: true,
    scopes,
    ledgers: [],
    allowsDevices: false,
    secretHashes: [hashSecret(secret)],
  };
}
