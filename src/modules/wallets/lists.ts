import type { BookAccount } from "./core/account.ts";
import { customKey, filterKeyOf, type WalletMetadata } from "./core/keys.ts";
import type { Test, WalletLedger } from "./ledger.ts";
import type { Page } from "#platform/paging/pagination.ts";

/** The page of a list that a request asks for. */
export interface WalletPageRequest {
  readonly pageSize?: number | undefined;
  /** The cursor of an earlier page, which has the filters of its list. */
  readonly cursor?: string | undefined;
}

/** The test that accounts or transactions have a value of metadata. */
export const match = (key: string, value: string): Test => ({
  $match: { [filterKeyOf(key)]: value },
});

/** The tests that accounts or transactions have metadata that clients have given. */
export const matchCustom = (metadata: WalletMetadata): Test[] =>
  Object.entries(metadata).map(([key, value]) => match(customKey(key), value));

/** A page of the items that accounts stand for. Accounts that are no items of the list, because a client made up a cursor, are left out. */
export async function listAccounts<T>(
  ledger: WalletLedger,
  list: {
    readonly tests: readonly Test[];
    readonly page: WalletPageRequest;
    readonly toItem: (account: BookAccount) => T | undefined;
  },
): Promise<Page<T>> {
  const page = await ledger.pageOfAccounts(list.tests, list.page);
  return { ...page, data: itemsOf(page.data, list.toItem) };
}

export const itemsOf = <T>(
  accounts: readonly BookAccount[],
  toItem: (account: BookAccount) => T | undefined,
): T[] =>
  accounts.flatMap((account) => {
    const item = toItem(account);
    return item === undefined ? [] : [item];
  });
