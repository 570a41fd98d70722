import type { Client } from "../lib/client.ts";
import { type Account, AccountPage, type Transaction, TransactionPage } from "./wire.ts";

const PAGE_SIZE = 100;

/** Reads a ledger page by page. */
export class LedgerReader {
  readonly #client: Client;
  readonly #ledger: string;

  constructor(client: Client, ledger: string) {
    this.#client = client;
    this.#ledger = ledger;
  }

  /** All transactions with exact amounts, from the newest to the oldest, and the cursor of the last page. */
  async allTransactions(): Promise<{ transactions: Transaction[]; lastPage: string }> {
    const transactions: Transaction[] = [];
    let cursor = "";
    for (;;) {
      const path = this.#pagePath("transactions", cursor);
      const page = (await this.#client.get(path, TransactionPage)).cursor;
      transactions.push(...page.data);
      if (!page.hasMore) return { transactions, lastPage: cursor };
      cursor = page.next ?? "";
    }
  }

  /** The ids of all transactions from the oldest to the newest, read backwards from the last page with the SDK. */
  async idsBackFrom(lastPage: string): Promise<number[]> {
    const ids: number[] = [];
    let cursor = lastPage;
    while (cursor !== "") {
      const answer = await this.#client.sdk.ledger.v2.listTransactions({
        ledger: this.#ledger,
        cursor,
      });
      const page = answer.v2TransactionsCursorResponse?.cursor;
      ids.push(...(page?.data ?? []).map(({ id }) => Number(id)).toReversed());
      cursor = page?.previous ?? "";
    }
    return ids;
  }

  /** All accounts with their exact volumes. */
  async allAccounts(): Promise<Account[]> {
    const accounts: Account[] = [];
    let cursor = "";
    for (;;) {
      const path = this.#pagePath("accounts", cursor);
      const page = (await this.#client.get(path, AccountPage)).cursor;
      accounts.push(...page.data);
      if (!page.hasMore) return accounts;
      cursor = page.next ?? "";
    }
  }

  /** The log as lines of JSON, the oldest entry first. */
  exportLog(): Promise<string> {
    return this.#client.exchangeText(`/api/ledger/v2/${this.#ledger}/logs/export`, "");
  }

  /** Imports the log of another ledger into the ledger, which must be new. */
  async importLog(log: string): Promise<void> {
    await this.#client.exchangeText(`/api/ledger/v2/${this.#ledger}/logs/import`, log);
  }

  async hasAccount(address: string): Promise<boolean> {
    const path = `/api/ledger/v2/${this.#ledger}/accounts/${address}`;
    return (await this.#client.send("GET", path)).status !== 404;
  }

  #pagePath(resource: string, cursor: string): string {
    const query = cursor === "" ? `pageSize=${PAGE_SIZE}&expand=volumes` : `cursor=${cursor}`;
    return `/api/ledger/v2/${this.#ledger}/${resource}?${query}`;
  }
}
