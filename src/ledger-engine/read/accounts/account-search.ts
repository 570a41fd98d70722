import { AccountAccess } from "./account-access.ts";
import {
  AccountFilter,
  type AccountScanRow,
  type AssetVolumes,
  type Candidate,
} from "./account-filter.ts";
import type { SortedRange } from "./account-paths.ts";
import type { AccountOrder } from "./account-walks.ts";
import {
  AccountVolumeReader,
  type AsOf,
  byAccount,
  type HoldingFilter,
} from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import type { LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { keepsHistory } from "#ledger-engine/storage/metadata-index.ts";
import type { Timestamp } from "#platform/time.ts";

/** What accounts are looked for. */
export interface AccountQuery extends AccountOrder {
  readonly filter: LedgerFilter | undefined;
  /** The point in time that metadata is of; undefined for the present. */
  readonly pit: Timestamp | undefined;
  /** The moment that balances are of. */
  readonly asOf: AsOf;
  /** Ranges of addresses that are looked at, all where it is undefined. */
  readonly within?: readonly SortedRange[];
  /** How many accounts may be enough; undefined where all are wanted. */
  readonly firstRows: number | undefined;
}

/** A step of a search: how many accounts it has passed, the last of them, and those that were found. */
export interface SearchStep<Found> {
  readonly passed: number;
  readonly last: AccountScanRow;
  readonly found: readonly Found[];
}

/** Finds the accounts that match a filter, in an order. */
export class AccountSearch {
  readonly #query: AccountQuery;
  readonly #access: AccountAccess;
  readonly #volumes: AccountVolumeReader;
  readonly #filter: AccountFilter;
  /** Whether metadata of the past counts. */
  readonly #isPast: boolean;

  constructor(context: ReadContext, query: AccountQuery) {
    const { sql, history, features } = context;
    this.#query = query;
    this.#access = new AccountAccess(sql);
    this.#volumes = AccountVolumeReader.of(context);
    const metadataAt = keepsHistory(features, "ACCOUNT") ? query.pit : undefined;
    this.#isPast = metadataAt !== undefined;
    const filter = isWalked(query) ? undefined : query.filter;
    this.#filter = new AccountFilter(filter, { sql, history, metadataAt });
  }

  /** Whether another path than that of addresses leads to no more accounts than a number. */
  isWithin(countMax: number): boolean {
    return this.#access.isWithin(this.#query.filter, { countMax, isPast: this.#isPast });
  }

  /** The accounts that match. */
  *matches(): Generator<SearchStep<AccountScanRow>> {
    for (const { found, ...step } of this.candidates()) {
      const wanted = this.#filter.balances;
      const matches = wanted === undefined ? found : this.#withBalances(found, wanted);
      yield { ...step, found: matches.map(({ row }) => row) };
    }
  }

  /** The accounts that match, whatever the verdict on their balances. */
  *candidates(): Generator<SearchStep<Candidate>> {
    const scan = {
      ...this.#query,
      fields: this.#filter.fields,
      rowsMax: this.#filter.rowsMax,
      isPast: this.#isPast,
    };
    for (const rows of this.#access.scan(scan)) {
      const last = rows.at(-1);
      if (last === undefined) continue;
      yield { passed: rows.length, last, found: this.#filter.candidates(rows) };
    }
  }

  /** The rows of volumes that may match by themselves. */
  get rows(): HoldingFilter {
    return this.#filter.rows;
  }

  /** Whether one row of the volumes of a candidate matches by itself. */
  isMatch(candidate: Candidate, volumes: AssetVolumes): boolean {
    return this.#filter.isMatch(candidate, [volumes]);
  }

  #withBalances(candidates: readonly Candidate[], wanted: HoldingFilter): Candidate[] {
    const ids = candidates.map(({ row }) => row.id);
    const byId = new Map(candidates.map((candidate) => [candidate.row.id, candidate]));
    const matches: Candidate[] = [];
    for (const batch of this.#volumes.batches(ids, this.#query.asOf, wanted)) {
      const held = byAccount(batch);
      for (const id of batch.accounts) {
        const candidate = byId.get(id);
        if (candidate === undefined) continue;
        if (this.#filter.isMatch(candidate, held.get(id) ?? [])) matches.push(candidate);
      }
    }
    return matches;
  }
}

/** Whether a walk by address meets just the accounts that match, so that none needs to be tested. */
function isWalked({ filter, column, within }: AccountQuery): boolean {
  return (
    column === "address" &&
    within === undefined &&
    filter?.kind === "address" &&
    filter.patterns.every(({ segments }) => !segments.includes(""))
  );
}
