import { AccountSearch } from "#ledger-engine/read/accounts/account-search.ts";
import { orderOf } from "#ledger-engine/read/accounts/account-walks.ts";
import {
  AccountVolumeReader,
  assertMoves,
  type AssetBalanceSum,
  type Moment,
  NOW,
} from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { type LedgerFilter, parseLedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import type { AssetBalance, BalancesQuery } from "#ledger-engine/rules/reads.ts";
import type { Asset } from "#ledger-engine/rules/types.ts";
import { AppError } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/** Sums balances over accounts. */
export class Balances {
  readonly #context: ReadContext;
  readonly #volumes: AccountVolumeReader;

  constructor(context: ReadContext) {
    this.#context = context;
    this.#volumes = AccountVolumeReader.of(context);
  }

  /**
   * The balance of each asset that accounts which match have moved, in byte order. Throws `VALIDATION` for a point in time
   * that the ledger's features leave out.
   */
  aggregate({ where, pit, useInsertionDate }: BalancesQuery): AssetBalance[] {
    const filter = parseLedgerFilter("balances", where);
    if (pit !== undefined) this.#assertServed(useInsertionDate);
    const assets = this.#context.sql.all<{ id: number; name: Asset }>(
      "SELECT id, name FROM asset ORDER BY name",
    );
    // Without history of moves, no effective date is known.
    if (pit !== undefined && this.#context.features.MOVES_HISTORY !== "ON") return [];
    const moment =
      pit === undefined ? NOW : this.#volumes.momentAt(pit, { insertionDate: useInsertionDate });
    const sums =
      filter === undefined ? this.#zeros(assets, moment) : this.#sums(filter, { pit, moment });
    return assets.flatMap(({ id, name }) => {
      const balance = sums.get(id);
      return balance === undefined ? [] : { asset: name, balance };
    });
  }

  /** Of all accounts: what some have received, others have sent. */
  #zeros(assets: readonly { id: number }[], moment: Moment): ReadonlyMap<number, bigint> {
    const moved = new Map<number, bigint>();
    if (moment === NOW) {
      for (const { id } of assets) moved.set(id, 0n);
      return moved;
    }
    for (const { asset } of this.#parts(undefined, { pit: undefined, moment })) {
      moved.set(asset, 0n);
      if (moved.size === assets.length) break;
    }
    return moved;
  }

  #sums(filter: LedgerFilter, at: At): ReadonlyMap<number, bigint> {
    const sums = new Map<number, bigint>();
    for (const { asset, balance } of this.#parts(filter, at)) {
      sums.set(asset, (sums.get(asset) ?? 0n) + balance);
    }
    return sums;
  }

  *#parts(filter: LedgerFilter | undefined, { pit, moment }: At): Generator<AssetBalanceSum> {
    const search = new AccountSearch(this.#context, {
      filter,
      pit,
      moment,
      column: orderOf(filter),
      order: "asc",
      firstRows: undefined,
    });
    for (const { found } of search.matches()) {
      yield* this.#volumes.balances(
        found.map(({ id }) => id),
        moment,
      );
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

/** The point in time that metadata is of, and the moment that volumes are of. */
interface At {
  readonly pit: Timestamp | undefined;
  readonly moment: Moment;
}
