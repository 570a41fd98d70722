import { OpenItemsReader } from "./read-items.ts";
import { LedgerClient } from "#modules/ledger/index.ts";
import { assertReaches } from "#modules/reconciliation/balances/reach.ts";
import {
  bucketOf,
  completeness,
  type OpenItem,
} from "#modules/reconciliation/core/clearing/open-items.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { formatTimestamp, type Timestamp, toMillis } from "#platform/time.ts";

/** Most accounts of one report. */
const ACCOUNTS_MAX = 10_000;
/** Most accounts with a balance, whose movements are read. */
const ACCOUNTS_OPEN_MAX = 1000;
/** Longest time of a report, in milliseconds. */
const REPORT_MS_MAX = 20_000;
const PAGE_SIZE = 1000;
const DAY_MS = 86_400_000;

/** Accounts that ought to go to zero, and the moment as of which they are looked at. */
export interface ClearingRequest {
  readonly ledger: string;
  /** An address, or a pattern of addresses as in filters of the ledger: `clearing:`. */
  readonly account: string;
  readonly at: Timestamp;
  /** The key in the metadata of transactions that names the item which a transaction opens or clears; undefined for none. */
  readonly itemKey: string | undefined;
}

export interface ClearingItem extends OpenItem {
  readonly account: string;
  readonly asset: string;
  /** Whole days since the item is open. */
  readonly days: number;
}

/** What passed through the accounts in one asset, and what is left there. */
export interface ClearingAsset {
  readonly asset: string;
  /** The number of accounts that have moved the asset, and of those with a balance. */
  readonly accounts: number;
  readonly open: number;
  readonly input: bigint;
  readonly output: bigint;
  readonly balance: bigint;
  /** The share of what passed through that has left again, in per cent with two decimals. */
  readonly completeness: string;
}

/** Open items of one asset and age. */
export interface ClearingBucket {
  readonly asset: string;
  /** The place in `AGE_BUCKETS`. */
  readonly bucket: number;
  readonly items: number;
  /** The sum of the open amounts. */
  readonly amount: bigint;
}

export interface ClearingReport extends ClearingRequest {
  readonly assets: readonly ClearingAsset[];
  readonly buckets: readonly ClearingBucket[];
  /** The oldest first. */
  readonly items: readonly ClearingItem[];
}

/**
 * Reports what is left on accounts that ought to go to zero, as of a moment by effective dates. The open items of an account and asset add
 * up to its balance, exactly. Throws `LEDGER_NOT_FOUND`, `UNAUTHENTICATED` where the principal may not read the ledger, and `VALIDATION`
 * for more accounts, open accounts, movements or time than one report has.
 */
export async function clearingReport(
  context: ServiceContext,
  request: ClearingRequest,
): Promise<ClearingReport> {
  const { ledger } = request;
  assertReaches(context.principal, { ledgers: [ledger], hasPools: false }, "the report");
  const signal = AbortSignal.timeout(REPORT_MS_MAX);
  try {
    return await new ClearingReading(context, request, signal).report();
  } catch (error) {
    if (signal.aborted)
      throw tooMuch(`the report took longer than ${REPORT_MS_MAX / 1000} seconds`);
    throw error;
  }
}

const tooMuch = (limit: string): AppError =>
  new AppError("VALIDATION", `${limit}; name fewer accounts or an earlier moment`);

interface Volumes {
  readonly account: string;
  readonly asset: string;
  readonly input: bigint;
  readonly output: bigint;
  readonly balance: bigint;
}

class ClearingReading {
  readonly #client: LedgerClient;
  readonly #request: ClearingRequest;
  readonly #signal: AbortSignal;

  constructor(context: ServiceContext, request: ClearingRequest, signal: AbortSignal) {
    this.#client = new LedgerClient(context, request.ledger);
    this.#request = request;
    this.#signal = signal;
  }

  async report(): Promise<ClearingReport> {
    const volumes = await this.#volumes();
    const items = await this.#items(volumes.filter(({ balance }) => balance !== 0n));
    items.sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
    const byAsset = Map.groupBy(volumes, ({ asset }) => asset);
    return {
      ...this.#request,
      assets: [...byAsset].map(([asset, of]) => summary(asset, of)),
      buckets: bucketsOf(items),
      items,
    };
  }

  async #volumes(): Promise<readonly Volumes[]> {
    const { account, at } = this.#request;
    const list = this.#client.balancesByAccount({
      pit: formatTimestamp(at),
      where: { $match: { account } },
    });
    const found: Volumes[] = [];
    let cursor: string | undefined;
    do {
      this.#signal.throwIfAborted();
      const page = await list.page({ pageSize: PAGE_SIZE, cursor });
      found.push(...page.data);
      if (found.length > ACCOUNTS_MAX)
        throw tooMuch(`the report reads at most ${ACCOUNTS_MAX} accounts and assets`);
      cursor = page.next;
    } while (cursor !== undefined);
    return found;
  }

  async #items(open: readonly Volumes[]): Promise<ClearingItem[]> {
    const balances = Map.groupBy(open, ({ account }) => account);
    if (balances.size > ACCOUNTS_OPEN_MAX)
      throw tooMuch(`the report reads the movements of at most ${ACCOUNTS_OPEN_MAX} accounts`);
    const { at, itemKey } = this.#request;
    const reader = new OpenItemsReader(this.#client, { at, itemKey, signal: this.#signal });
    const items: ClearingItem[] = [];
    for (const [account, of] of balances) {
      for (const item of await reader.read(account, of))
        items.push({ ...item, account, days: daysBetween(item.timestamp, at) });
    }
    return items;
  }
}

const daysBetween = (from: Timestamp, to: Timestamp): number =>
  Math.max(0, Math.floor((toMillis(to) - toMillis(from)) / DAY_MS));

function summary(asset: string, volumes: readonly Volumes[]): ClearingAsset {
  const input = sum(volumes.map((of) => of.input));
  const output = sum(volumes.map((of) => of.output));
  return {
    asset,
    accounts: volumes.length,
    open: volumes.filter(({ balance }) => balance !== 0n).length,
    input,
    output,
    balance: input - output,
    completeness: completeness({
      cleared: sum(volumes.map((of) => (of.input < of.output ? of.input : of.output))),
      total: sum(volumes.map((of) => (of.input < of.output ? of.output : of.input))),
    }),
  };
}

const sum = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((total, amount) => total + amount, 0n);

function bucketsOf(items: readonly ClearingItem[]): readonly ClearingBucket[] {
  const groups = Map.groupBy(items, ({ asset, days }) => `${asset} ${bucketOf(days)}`);
  return [...groups.values()]
    .flatMap((of) => {
      const [first] = of;
      if (first === undefined) return [];
      const amount = sum(of.map(({ open }) => open));
      return [{ asset: first.asset, bucket: bucketOf(first.days), items: of.length, amount }];
    })
    .toSorted((one, other) => one.bucket - other.bucket);
}
