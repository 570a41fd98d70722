import { z } from "zod";
import type { TinkClient, TinkList } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

const Consents = z.object({
  providerConsents: z.array(
    z.object({
      credentialsId: z.string(),
      accountIds: z
        .array(z.string())
        .nullish()
        .transform((ids) => ids ?? []),
    }),
  ),
});

export interface Ownership {
  /** Whether an account belongs to a connection. An account that no consent names belongs to each connection of the user. */
  readonly isOf: (account: string, connectionId: string) => boolean;
  /** The connection whose consent names an account; undefined if no consent does. */
  readonly connectionOf: (account: string) => string | undefined;
}

/** How a value of a list is read: undefined for a value of an account that belongs to another connection. */
type ReadOwned<Item> = (value: unknown, isOwn: (account: string) => boolean) => Item | undefined;

/** A page of the accounts or transactions of a connection; empty for a fetch without a connection. */
export async function fetchOwned<Item>(
  client: TinkClient,
  { list, request }: { readonly list: TinkList; readonly request: kit.FetchRequest },
  read: ReadOwned<Item>,
): Promise<kit.FetchPage<Item>> {
  if (request.connection === undefined) return kit.EMPTY_PAGE;
  const { user, connectionId } = request.connection;
  const ownership = await readOwnership(client, user.id);
  return kit.fetchTokenList(request, {
    readPage: ({ token, pageSize }) => client.list(user.id, list, { pageSize, pageToken: token }),
    read: (value) => read(value, (account) => ownership.isOf(account, connectionId)),
  });
}

/** Reads the consents of a user. The provider lists accounts by user; only the consents say which connection an account belongs to. */
export async function readOwnership(client: TinkClient, user: string): Promise<Ownership> {
  const call = { path: "/api/v1/provider-consents" };
  const { providerConsents } = await client.user(user).read(call, Consents, "the consents");
  const connectionOf = (account: string) =>
    providerConsents.find(({ accountIds }) => accountIds.includes(account))?.credentialsId;
  return {
    connectionOf,
    isOf: (account, connectionId) => {
      const owner = connectionOf(account);
      return owner === undefined || owner === connectionId;
    },
  };
}
