import { readEach } from "./items.ts";
import { refused } from "./orders.ts";
import type { FetchPage } from "#modules/payments/connectors/contract.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";

/** The account that a fetch belongs to, as the tree of the kind says. Throws `ConnectorError` where the fetch has none. */
export function requireAccount(parent: ProviderAccount | undefined, what: string): ProviderAccount {
  if (parent !== undefined) return parent;
  throw refused(`${what} belong to an account`);
}

/** A page of all that there is. */
export const onlyPage = <Item>(items: readonly Item[]): FetchPage<Item> => ({
  items,
  state: undefined,
  hasMore: false,
});

/** The page of a fetch that has nothing to read. */
export const EMPTY_PAGE = onlyPage<never>([]);

/** A page of all that there is, each value read as an item. */
export const onlyPageOf = <Value, Item>(
  values: readonly Value[],
  read: (value: Value) => Item | undefined,
): FetchPage<Item> => ({ ...readEach(values, read), state: undefined, hasMore: false });

/** What an account holds in its one currency: no balance where the provider names none, or a currency that is not known. */
export const onlyBalance = (
  accountReference: string,
  createdAt: ProviderBalance["createdAt"],
  amount: Pick<ProviderBalance, "amount" | "asset"> | undefined,
): FetchPage<ProviderBalance> =>
  onlyPage(amount === undefined ? [] : [{ accountReference, createdAt, ...amount }]);
