import { AccountSearch } from "#ledger-engine/read/accounts/account-search.ts";
import { orderOf } from "#ledger-engine/read/accounts/account-walks.ts";
import {
  AccountVolumeReader,
  type AsOf,
  assertMoves,
} from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { inSteps, type Steps, toEnd, type View, WHOLE } from "#ledger-engine/read/scan/steps.ts";
import { type AssetBalanceSum, SummedBalances } from "#ledger-engine/read/scan/summed-balances.ts";
import { type LedgerFilter, parseLedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import type { AssetBalance, BalancesQuery } from "#ledger-engine/rules/reads.ts";
import type { Asset } from "#ledger-engine/rules/types.ts";
import { AppError } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/** Sums balances over accounts. */
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

  /** The same in steps, all of one moment. */
  aggregateInSteps(query: BalancesQuery): Steps<AssetBalance[]> {
    const basis = {
      until: query.useInsertionDate ? undefined : query.pit,
      filter: parseLedgerFilter("balances", query.where),
    };
    return inSteps(this.#context, basis, (view) => this.#read(query, view));
  }

  *#read({ where, pit, useInsertionDate }: BalancesQuery, view: View): Steps<AssetBalance[]> {
    const filter = parseLedgerFilter("balances", where);
    if (pit !== undefined) this.#assertServed(useInsertionDate);
    const assets = this.#context.sql.all<{ id: number; name: Asset }>(
      "SELECT id, name FROM asset ORDER BY name",
    );
    // Without a history of moves, no effective date is known.
    if (pit !== undefined && this.#context.features.MOVES_HISTORY !== "ON") return [];
    const asOf =
      pit === undefined
        ? view.now
        : this.#volumes.asOfDate(pit, { insertionDate: useInsertionDate });
    const ids = assets.map(({ id }) => id);
    const at = { pit, asOf, rowsMax: view.rowsMax, assets: ids };
    const sums = yield* filter === undefined ? this.#zeros(at) : this.#sums(filter, at);
    return assets.flatMap(({ id, name }) => {
      const balance = sums.get(id);
      return balance === undefined ? [] : { asset: name, balance };
    });
  }

  /** Over all accounts, every balance is zero, because what some have received others have sent. */
  *#zeros(at: PointInTime): Steps<ReadonlyMap<number, bigint>> {
    const { assets } = at;
    if (at.pit === undefined) return new Map(assets.map((asset) => [asset, 0n]));
    const moved = new Map<number, bigint>();
    for (const part of this.#parts(undefined, { ...at, pit: undefined })) {
      for (const { asset } of part) {
        moved.set(asset, 0n);
        if (moved.size === assets.length) return moved;
      }
      yield;
    }
    return moved;
  }

  *#sums(filter: LedgerFilter, at: PointInTime): Steps<ReadonlyMap<number, bigint>> {
    const sums = new Map<number, bigint>();
    for (const part of this.#parts(filter, at)) {
      for (const { asset, balance } of part) sums.set(asset, (sums.get(asset) ?? 0n) + balance);
      yield;
    }
    return sums;
  }

  /** The balances of some accounts at a time. */
  *#parts(
    filter: LedgerFilter | undefined,
    { pit, asOf, rowsMax, assets }: PointInTime,
  ): Generator<Iterable<AssetBalanceSum>> {
    const search = new AccountSearch(this.#context, {
      filter,
      pit,
      asOf,
      column: orderOf(filter),
      order: "asc",
      firstRows: undefined,
      rowsMax,
    });
    const sizeMax = this.#summed.sizeMax(assets);
    for (const accounts of search.sources(Math.min(sizeMax, rowsMax ?? sizeMax))) {
      yield this.#summed.of(accounts, asOf, assets);
    }
  }

  #assertServed(insertionDate: boolean): void {
    const { features } = this.#context;
    if (insertionDate) return assertMoves(features);
    if (features.MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES !== "SYNC") {
      throw new AppError(
        "VALIDATION",
        'missing feature "MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES"',
      );
    }
  }
}

/** What is summed: the point in time that metadata is read as of, and the one that volumes are read as of. */
interface PointInTime {
  readonly pit: Timestamp | undefined;
  readonly asOf: AsOf;
  /** How many accounts are looked at in a step. */
  readonly rowsMax: number | undefined;
  /** The ids of all assets. */
  readonly assets: readonly number[];
}
