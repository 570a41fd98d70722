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
  /** Whether an account belongs to a connection. One that no consent names belongs to each of the user. */
  readonly isOf: (account: string, connectionId: string) => boolean;
  /** The connection whose consent names an account; undefined where none does. */
  readonly connectionOf: (account: string) => string | undefined;
}

/** The provider tells of accounts for a user, and by the consents which connection has opened them. */
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
