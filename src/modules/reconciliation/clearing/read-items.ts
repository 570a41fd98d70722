import type { LedgerClient, LedgerTransaction } from "#modules/ledger/index.ts";
import {
  FirstInFirstOut,
  type AccountMovement,
  openItems,
  type OpenItem,
} from "#modules/reconciliation/core/clearing/open-items.ts";
import { AppError } from "#platform/errors.ts";
import { formatTimestamp, parseTimestamp, type Timestamp, ZERO_TIMESTAMP } from "#platform/time.ts";

/** Most transactions that one report reads. */
const TRANSACTIONS_MAX = 100_000;
/** Most open items of one report. */
const ITEMS_MAX = 10_000;
const PAGE_SIZE = 1000;

/** The balance of an account in one asset. */
interface AssetBalance {
  readonly asset: string;
  readonly balance: bigint;
}

interface ReadItem extends OpenItem {
  readonly asset: string;
}

interface ItemsScope {
  readonly at: Timestamp;
  /** The key in the metadata of transactions that names items; undefined for first in, first out. */
  readonly itemKey: string | undefined;
  readonly signal: AbortSignal;
}

/** Reads the movements of accounts, the newest first, and finds which of them are open. */
export class OpenItemsReader {
  readonly #client: LedgerClient;
  readonly #of: ItemsScope;
  #transactions = 0;
  #items = 0;

  constructor(client: LedgerClient, of: ItemsScope) {
    this.#client = client;
    this.#of = of;
  }

  /** The open items of an account with balances. Throws `VALIDATION` where they are too many, or lie too far back. */
  async read(account: string, balances: readonly AssetBalance[]): Promise<readonly ReadItem[]> {
    const items =
      this.#of.itemKey === undefined
        ? await this.#firstInFirstOut(account, balances)
        : await this.#byItem(account, balances);
    this.#items += items.length;
    if (this.#items > ITEMS_MAX) throw tooMany(`more than ${ITEMS_MAX} open items`);
    return items;
  }

  /** Reads back only until the open items make up the balances. */
  async #firstInFirstOut(account: string, balances: readonly AssetBalance[]) {
    const walks = new Map(balances.map((of) => [of.asset, new FirstInFirstOut(of.balance)]));
    const items: ReadItem[] = [];
    for await (const transaction of this.#newestFirst(account)) {
      for (const [asset, walk] of walks) {
        const item = walk.take(this.#movement(transaction, account, asset));
        if (item !== undefined) items.push({ ...item, asset });
      }
      if ([...walks.values()].every(({ isDone }) => isDone)) break;
    }
    return items;
  }

  async #byItem(account: string, balances: readonly AssetBalance[]) {
    const movements = new Map(balances.map(({ asset }) => [asset, new Array<AccountMovement>()]));
    for await (const transaction of this.#newestFirst(account)) {
      for (const [asset, of] of movements) of.push(this.#movement(transaction, account, asset));
    }
    return [...movements].flatMap(([asset, of]) =>
      openItems(of).map((item): ReadItem => ({ ...item, asset })),
    );
  }

  #movement(transaction: LedgerTransaction, account: string, asset: string): AccountMovement {
    const { id, reference, timestamp, postings, metadata } = transaction;
    const { itemKey } = this.#of;
    let amount = 0n;
    for (const posting of postings) {
      if (posting.asset !== asset) continue;
      if (posting.destination === account) amount += posting.amount;
      if (posting.source === account) amount -= posting.amount;
    }
    const item = itemKey === undefined ? undefined : metadata[itemKey];
    return {
      transactionID: BigInt(id),
      reference,
      timestamp: parseTimestamp(timestamp) ?? ZERO_TIMESTAMP,
      amount,
      item,
    };
  }

  async *#newestFirst(account: string): AsyncGenerator<LedgerTransaction, void> {
    const { at, signal } = this.#of;
    const list = this.#client.transactions({
      pit: formatTimestamp(at),
      where: { $match: { account } },
      order: "desc",
    });
    let cursor: string | undefined;
    do {
      signal.throwIfAborted();
      const { data, next } = await list.page({ pageSize: PAGE_SIZE, cursor });
      this.#transactions += data.length;
      if (this.#transactions > TRANSACTIONS_MAX)
        throw tooMany(`more than ${TRANSACTIONS_MAX} transactions of accounts with a balance`);
      yield* data;
      cursor = next;
    } while (cursor !== undefined);
  }
}

const tooMany = (what: string): AppError =>
  new AppError("VALIDATION", `the report would read ${what}; name fewer accounts`);
