import { z } from "zod";
import type { TinkClient } from "./client.ts";

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
