import { readEach } from "./items.ts";
import { refused } from "./orders.ts";
import type { FetchPage } from "#modules/payments/connectors/contract.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";

/** The account that is the parent of a fetch; `what` names the fetched objects in the error. Throws `ConnectorError` if there is none. */
export function requireAccount(parent: ProviderAccount | undefined, what: string): ProviderAccount {
  if (parent !== undefined) return parent;
  throw refused(`${what} belong to an account`);
}

/** The only page of a list. */
export const onlyPage = <Item>(items: readonly Item[]): FetchPage<Item> => ({
  items,
  state: undefined,
  hasMore: false,
});

/** The page of a fetch that has nothing to read, such as a fetch without a connection of a user. */
export const EMPTY_PAGE = onlyPage<never>([]);

/** The only page of a list, with each value read as an item. */
export const onlyPageOf = <Value, Item>(
  values: readonly Value[],
  read: (value: Value) => Item | undefined,
): FetchPage<Item> => ({ ...readEach(values, read), state: undefined, hasMore: false });

/** A page with the balance of an account that has one currency; empty if the provider gives no amount in a supported currency. */
export const onlyBalance = (
  accountReference: string,
  createdAt: ProviderBalance["createdAt"],
  amount: Pick<ProviderBalance, "amount" | "asset"> | undefined,
): FetchPage<ProviderBalance> =>
  onlyPage(amount === undefined ? [] : [{ accountReference, createdAt, ...amount }]);
