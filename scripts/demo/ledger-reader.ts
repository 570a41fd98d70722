import type { Client } from "./client.ts";
import { type Account, AccountPage, type Transaction, TransactionPage } from "./wire.ts";

const PAGE_SIZE = 100;

/** Reads a ledger page by page, exactly. */
export class LedgerReader {
  readonly #client: Client;
  readonly #ledger: string;

  constructor(client: Client, ledger: string) {
    this.#client = client;
    this.#ledger = ledger;
  }

  /** All transactions, by the cursor from the newest to the oldest, and the cursor of the last page. */
  async allTransactions(): Promise<{ transactions: Transaction[]; lastPage: string }> {
    const transactions: Transaction[] = [];
    let lastPage = "";
    for (let cursor: string | undefined = ""; ; ) {
      const page = await this.#client.get(this.#page("transactions", cursor), TransactionPage);
      transactions.push(...page.cursor.data);
      if (!page.cursor.hasMore) return { transactions, lastPage };
      cursor = page.cursor.next ?? "";
      lastPage = cursor;
    }
  }

  /** The ids of all transactions from the oldest to the newest: the way back, with the SDK, page by page. */
  async idsBackFrom(lastPage: string): Promise<number[]> {
    const pages: number[][] = [];
    for (let cursor: string | undefined = lastPage; cursor; ) {
      const { v2TransactionsCursorResponse: page } =
        await this.#client.sdk.ledger.v2.listTransactions({ ledger: this.#ledger, cursor });
      pages.push((page?.cursor.data ?? []).map(({ id }) => Number(id)).toReversed());
      cursor = page?.cursor.previous;
    }
    return pages.flat();
  }

  async allAccounts(): Promise<Account[]> {
    const accounts: Account[] = [];
    for (let cursor: string | undefined = ""; ; ) {
      const page = await this.#client.get(this.#page("accounts", cursor), AccountPage);
      accounts.push(...page.cursor.data);
      if (!page.cursor.hasMore) return accounts;
      cursor = page.cursor.next ?? "";
    }
  }

  /** Whether the ledger knows an account. */
  async hasAccount(address: string): Promise<boolean> {
    const path = `/api/ledger/v2/${this.#ledger}/accounts/${address}`;
    return (await this.#client.send("GET", path)).status !== 404;
  }

  #page(resource: string, cursor: string): string {
    const query = cursor === "" ? `pageSize=${PAGE_SIZE}&expand=volumes` : `cursor=${cursor}`;
    return `/api/ledger/v2/${this.#ledger}/${resource}?${query}`;
  }
}
