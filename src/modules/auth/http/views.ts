import type { Client, ClientSecret } from "#modules/auth/core/client.ts";

export function toClientView(client: Client) {
  return {
    public: client.public,
    redirectUris: [...client.redirectUris],
    description: client.description,
    name: client.name,
    postLogoutRedirectUris: [...client.postLogoutRedirectUris],
    metadata: client.metadata,
    trusted: client.trusted,
    scopes: [...client.scopes],
    id: client.id,
    secrets: client.secrets.map(toSecretView),
  };
}

/** A secret with its clear text, for the answer to its creation. */
export const toCreatedSecretView = ({
  secret,
  clear,
}: {
  secret: ClientSecret;
  clear: string;
}) => ({
  id: secret.id,
  lastDigits: secret.lastDigits,
  name: secret.name,
  clear,
});

const toSecretView = ({ id, lastDigits, name, metadata }: ClientSecret) => ({
  id,
  lastDigits,
  name,
  metadata,
});
