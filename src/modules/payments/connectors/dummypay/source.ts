import { z } from "zod";
import type * as kit from "#modules/payments/connectors/kit/index.ts";

/** The source of a dummy provider's data. */
export interface DummySource {
  readonly accounts: () => Promise<Pick<kit.AccountsPage, "items" | "rejected" | "read">>;
  readonly externalAccounts: () => Promise<readonly kit.ProviderAccount[]>;
  readonly payments: () => Promise<readonly kit.ProviderPayment[]>;
  /** The amounts of an account by their assets, without the effects of movements. */
  readonly balances: (account: string) => Promise<ReadonlyMap<string, bigint>>;
}

const State = z.object({ nextToken: z.int().min(0).default(0) });

/** The next page of a list that grows only at its end. */
export function toPage<Item>(
  items: readonly Item[],
  { state, pageSize }: kit.FetchRequest,
): kit.FetchPage<Item> {
  const { nextToken } = State.parse(state ?? {});
  const page = items.slice(nextToken, nextToken + pageSize);
  const end = nextToken + page.length;
  return { items: page, state: { nextToken: end }, hasMore: end < items.length };
}
