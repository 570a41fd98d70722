import { AccountSearch } from "#ledger-engine/read/accounts/account-search.ts";
import { addressFilter } from "#ledger-engine/read/accounts/account-sets.ts";
import { orderOf } from "#ledger-engine/read/accounts/account-walks.ts";
import {
  AccountVolumeReader,
  assertBalancesAt,
  type AsOf,
} from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { inSteps, type Steps, toEnd, type View, WHOLE } from "#ledger-engine/read/scan/steps.ts";
import { type AccountSource, SummedBalances } from "#ledger-engine/read/scan/summed-balances.ts";
import { exactAddress } from "#ledger-engine/rules/filters/address-pattern.ts";
import { type LedgerFilter, parseLedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import type { AssetBalance, BalancesQuery } from "#ledger-engine/rules/reads.ts";
import type { Asset } from "#ledger-engine/rules/types.ts";
import type { BalanceSumsByAsset } from "#ledger-engine/storage/moves/kept-sums.ts";
import type { Timestamp } from "#platform/time.ts";

/** The number of accounts of a step that looks for moved assets. Most assets are found in the first step. */
const MOVED_ACCOUNTS = 500;

/** Sums over fewer accounts than this are not kept, because summing them again takes no longer than reading a page. */
export const KEPT_ACCOUNTS_MIN = 500;

/** Sums the balances of accounts, by asset. */
export class BalanceSums {
  readonly #context: ReadContext;
  readonly #volumes: AccountVolumeReader;
  readonly #summed: SummedBalances;

  constructor(context: ReadContext) {
    this.#context = context;
    this.#volumes = AccountVolumeReader.of(context);
    this.#summed = new SummedBalances(context.sql, this.#volumes);
  }

  /**
   * The balance, in byte order of the assets, of each asset that matching accounts have moved. Throws `VALIDATION` for
   * a point in time that the ledger's features leave out.
   */
  aggregate(query: BalancesQuery): AssetBalance[] {
    return toEnd(this.#read(query, WHOLE));
  }

  /** `aggregate` in steps that all see the same moment. */
  aggregateInSteps(query: BalancesQuery): Steps<AssetBalance[]> {
    const basis = {
      until: query.useInsertionDate ? undefined : query.pit,
      filter: parseLedgerFilter("balances", query.where),
    };
    return inSteps(this.#context, basis, (view) => this.#read(query, view));
  }

  *#read({ where, pit, useInsertionDate }: BalancesQuery, view: View): Steps<AssetBalance[]> {
    const filter = parseLedgerFilter("balances", where);
    if (pit !== undefined) {
      assertBalancesAt(this.#context.features, { insertionDate: useInsertionDate });
    }
    const assets = this.#context.sql.all<{ id: number; name: Asset }>(
      "SELECT id, name FROM asset ORDER BY name",
    );
    // Over all accounts, every balance is zero: each posting has a source and a destination.
    if (filter === undefined && pit === undefined) {
      return assets.map(({ name }) => ({ asset: name, balance: 0n }));
    }
    // A ledger without a history of moves gives no balances of the past.
    if (pit !== undefined && this.#context.features.MOVES_HISTORY !== "ON") return [];
    const kept =
      pit === undefined && where !== undefined ? this.#context.sums.find(where) : undefined;
    if (kept !== undefined) return shownSums(assets, kept);
    const asOf =
      pit === undefined
        ? view.now
        : this.#volumes.asOfDate(pit, { insertionDate: useInsertionDate });
    const ids = assets.map(({ id }) => id);
    const at = { pit, asOf, rowsMax: view.rowsMax, assets: ids };
    const sums = yield* filter === undefined
      ? this.#moved(this.#search(undefined, { ...at, pit: undefined }), at, ids)
      : this.#sums(filter, { ...at, where: where ?? "" });
    return shownSums(assets, sums);
  }

  /**
   * The sums of the balances of matching accounts. If few accounts do not match, their balances are summed instead and negated,
   * because the balances of all accounts add up to zero.
   */
  *#sums(filter: LedgerFilter, at: FilteredSum): Steps<BalanceSumsByAsset> {
    const search = this.#search(filter, at);
    const size = this.#sizeOf(at);
    const others = search.others(size);
    if (others === undefined) return yield* this.#kept(filter, search.sources(size), at);
    const missing = yield* this.#added(others, at);
    const sums = new Map(
      Array.from(missing, ([asset, balance]) => [asset, -balance] as const).filter(
        ([, balance]) => balance !== 0n,
      ),
    );
    const rest = at.assets.filter((asset) => !sums.has(asset));
    if (rest.length === 0) return sums;
    return new Map([...sums, ...(yield* this.#moved(search, at, rest))]);
  }

  /**
   * Adds the balances of accounts. If the filter tests only addresses and many accounts match, the sums are kept: from the first step of
   * this read on, writes keep them up to date (see `KeptSums`).
   */
  *#kept(
    filter: LedgerFilter,
    sources: Iterable<AccountSource>,
    at: FilteredSum,
  ): Steps<BalanceSumsByAsset> {
    const { sums: keep } = this.#context;
    const isKeepable = at.pit === undefined && !namesAccounts(filter);
    const matches = isKeepable ? addressFilter(filter) : undefined;
    const kept = matches && keep.begin(at.where, matches);
    if (kept === undefined) return yield* this.#added(sources, at);
    try {
      let count = 0;
      const sums = yield* this.#added(sources, at, (ids) => {
        count += ids.length;
        for (const id of ids) kept.addMatch(id);
      });
      if (count >= KEPT_ACCOUNTS_MIN) keep.end(at.where, kept, sums);
      return sums;
    } finally {
      // Sums that were not completed, also because the caller took no more steps, are begun anew by the next read.
      if (kept.sums === undefined) keep.drop(at.where, kept);
    }
  }

  *#added(
    sources: Iterable<AccountSource>,
    { asOf, assets }: PointInTime,
    take?: (ids: readonly number[]) => void,
  ): Steps<BalanceSumsByAsset> {
    const sums = new Map<number, bigint>();
    for (const accounts of sources) {
      take?.(this.#summed.idsOf(accounts));
      for (const { asset, balance } of this.#summed.of(accounts, asOf, assets)) {
        sums.set(asset, (sums.get(asset) ?? 0n) + balance);
      }
      yield;
    }
    return sums;
  }

  /** A zero balance for each of the given assets that some matching account had moved. */
  *#moved(
    search: AccountSearch,
    at: PointInTime,
    assets: readonly number[],
  ): Steps<BalanceSumsByAsset> {
    const left = new Set(assets);
    for (const accounts of search.sources(Math.min(this.#sizeOf(at), MOVED_ACCOUNTS))) {
      for (const { asset } of this.#summed.of(accounts, at.asOf, [...left])) left.delete(asset);
      if (left.size === 0) break;
      yield;
    }
    return new Map(assets.filter((asset) => !left.has(asset)).map((asset) => [asset, 0n]));
  }

  #search(filter: LedgerFilter | undefined, { pit, asOf, rowsMax }: PointInTime): AccountSearch {
    return new AccountSearch(this.#context, {
      filter,
      pit,
      asOf,
      column: orderOf(filter),
      order: "asc",
      firstRows: undefined,
      rowsMax,
    });
  }

  /** The number of accounts that are summed at once. */
  #sizeOf({ assets, rowsMax }: PointInTime): number {
    const sizeMax = this.#summed.sizeMax(assets);
    return Math.min(sizeMax, rowsMax ?? sizeMax);
  }
}

/** Whether a filter names few accounts, whose balances are summed as quickly as kept sums are found. */
const namesAccounts = (filter: LedgerFilter): boolean =>
  filter.kind === "address" &&
  filter.patterns.length < KEPT_ACCOUNTS_MIN &&
  filter.patterns.every((pattern) => exactAddress(pattern) !== undefined);

/** A sum over the accounts of a filter. `where` is the text of the filter, by which kept sums are found. */
interface FilteredSum extends PointInTime {
  readonly where: string;
}

/** The sums with the names of their assets, in the order of `assets`. Assets without a sum are left out. */
export const shownSums = (
  assets: readonly { readonly id: number; readonly name: Asset }[],
  sums: BalanceSumsByAsset,
): AssetBalance[] =>
  assets.flatMap(({ id, name }) => {
    const balance = sums.get(id);
    return balance === undefined ? [] : { asset: name, balance };
  });

/** The points in time of a sum: `pit` for metadata, `asOf` for volumes. */
interface PointInTime {
  readonly pit: Timestamp | undefined;
  readonly asOf: AsOf;
  /** The most accounts of a step. */
  readonly rowsMax: number | undefined;
  /** The ids of all assets of the ledger. */
  readonly assets: readonly number[];
}
