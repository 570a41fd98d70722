import type { PowensClient } from "./client.ts";
import type { PowensConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { type Clock, fromMillis, toMillis } from "#platform/time.ts";

const WEBVIEW = "https://webview.powens.com";

export interface PowensDesk extends kit.ClientWith<PowensClient, "clock"> {
  readonly config: PowensConfig;
}

export const powensUsers = (desk: PowensDesk): kit.UserPlugin => {
  const { client, clock } = desk;
  return {
    createUser: async () => {
      const { id_user, auth_token, expires_in } = await client.createUser();
      const lasts = expires_in ?? undefined;
      return {
        providerUserId: id_user,
        accessToken: auth_token,
        metadata: lasts === undefined ? {} : { expires_in: String(lasts) },
      };
    },
    createLink: (request) =>
      toLink(desk, request, {
        page: "connect",
        parameters: { max_connections: String(desk.config.maxConnectionsPerLink) },
      }),
    updateLink: (request) =>
      toLink(desk, request, {
        page: "reconnect",
        parameters: { connection_id: request.connectionId },
      }),
    completeLink: (callback) => completeLink(client, clock, callback),
    deleteConnection: ({ forwarded, connectionId }) =>
      client.deleteConnection(forwarded, connectionId),
    deleteUser: ({ forwarded }) => client.deleteUser(forwarded),
  };
};

interface WebviewPage {
  readonly page: "connect" | "reconnect";
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * A link to a view of the provider. The URL to return to is not escaped, because the provider compares it with the allowed URLs as it is.
 */
async function toLink(
  { client, config, clock }: PowensDesk,
  { forwarded, state, redirectUrl }: kit.LinkRequest,
  { page, parameters }: WebviewPage,
): Promise<kit.UserLink> {
  const { code, expires_in } = await client.createCode(forwarded);
  const { domain, clientID: client_id } = config;
  const query = new URLSearchParams({ domain, client_id, code, state, ...parameters });
  return {
    url: `${WEBVIEW}/${page}?${query.toString()}&redirect_uri=${redirectUrl}`,
    temporaryToken: code,
    ...(expires_in === undefined || expires_in === null
      ? {}
      : { expiresAt: fromMillis(toMillis(clock()) + expires_in * 1000) }),
  };
}

/** Completes a link with the connections that the browser names. Throws `ConnectorError` for a connection of another user. */
async function completeLink(
  client: PowensClient,
  clock: Clock,
  { query, forwarded }: kit.LinkCallback,
): Promise<kit.LinkOutcome> {
  const [error] = query["error"] ?? [];
  if (error !== undefined && error !== "") return { error };
  const named = [...(query["connection_id"] ?? []), ...(query["connection_ids"] ?? [])];
  const ids = new Set(named.flatMap((text) => text.split(",")).filter((id) => id !== ""));
  if (ids.size === 0) throw kit.refused("the parameter 'connection_id' is missing");
  const createdAt = clock();
  for (const connectionId of ids) {
    if (!(await client.hasConnection(forwarded, connectionId))) {
      throw kit.refused("the connection is not one of the user");
    }
  }
  return {
    connections: [...ids].map((connectionId) => ({ connectionId, createdAt, metadata: {} })),
  };
}
