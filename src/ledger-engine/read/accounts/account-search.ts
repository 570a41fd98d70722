import { AccountAccess, RANGES_WALKED_MAX } from "./account-access.ts";
import {
  ACCOUNT_FIELDS,
  type AccountField,
  AccountFilter,
  type AccountJudge,
  type AccountScanRow,
  type AssetVolumes,
  type Candidate,
  EVERY_ACCOUNT,
} from "./account-filter.ts";
import { exactRanges, otherRanges, type SortedRange } from "./account-paths.ts";
import { type Condition, exactPattern, siftOf } from "./account-sift.ts";
import type { AccountOrder } from "./account-walks.ts";
import { HELD_COLUMNS } from "./held-volumes.ts";
import {
  AccountVolumeReader,
  type AsOf,
  byAccount,
  type HoldingFilter,
} from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { type AccountSource, sourceOfIds } from "#ledger-engine/read/scan/summed-balances.ts";
import type { LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { keepsHistory } from "#ledger-engine/storage/metadata-index.ts";
import type { Sql } from "#platform/sql/sql.ts";
import type { Timestamp } from "#platform/time.ts";

/** Selects accounts, and the order in which they are found. */
export interface AccountQuery extends AccountOrder {
  readonly filter: LedgerFilter | undefined;
  /** The point in time of metadata; undefined for the present. */
  readonly pit: Timestamp | undefined;
  /** The point in time of balances. */
  readonly asOf: AsOf;
  /** Whether the filter is about balances of a period, which the caller tests. */
  readonly isPeriod?: boolean;
  /** The ranges of addresses to search; undefined for all addresses. */
  readonly within?: readonly SortedRange[];
  /** The number of accounts that may be enough; undefined for all. */
  readonly firstRows: number | undefined;
  /** The most accounts that are tested together. */
  readonly rowsMax?: number | undefined;
  /** Whether whole rows are read at once, if every row of the walk is known to match. */
  readonly readsRows?: boolean;
  /** Whether current volumes are read with whole rows, if the ledger has few enough assets for `HELD_COLUMNS`. */
  readonly readsVolumes?: boolean;
}

/** A step of a search: the number of accounts that it passed, the last of them, and the accounts that it found. */
export interface SearchStep<Found> {
  readonly passed: number;
  readonly last: AccountScanRow;
  readonly found: readonly Found[];
}

/** Finds the accounts that match a filter, in a given order. */
export class AccountSearch {
  readonly #query: AccountQuery;
  readonly #sql: Sql;
  readonly #access: AccountAccess;
  readonly #volumes: AccountVolumeReader;
  readonly #filter: AccountJudge;
  readonly #fields: readonly AccountField[];
  readonly #held: string | undefined;
  /** Whether whole accounts are read, and no filter tests them. */
  readonly #takesAll: boolean;
  /** Whether past metadata counts. */
  readonly #isPast: boolean;
  /** Ranges of addresses that contain exactly the matches, so that accounts need no test; undefined if there are none. */
  readonly #walked: readonly SortedRange[] | undefined;

  constructor(context: ReadContext, query: AccountQuery) {
    const { sql, history, features, sizes } = context;
    this.#query = query;
    this.#sql = sql;
    this.#access = new AccountAccess(sql);
    this.#volumes = AccountVolumeReader.of(context);
    const metadataAt = keepsHistory(features, "ACCOUNT") ? query.pit : undefined;
    this.#isPast = metadataAt !== undefined;
    this.#walked = walkedRanges(query);
    const filter = this.#walked === undefined ? query.filter : undefined;
    this.#filter =
      filter === undefined
        ? EVERY_ACCOUNT
        : new AccountFilter(filter, { sql, history, metadataAt });
    this.#takesAll = query.readsRows === true && filter === undefined;
    this.#fields = this.#takesAll ? ACCOUNT_FIELDS : this.#filter.fields;
    this.#held =
      this.#takesAll && query.readsVolumes === true ? HELD_COLUMNS[sizes.assetCount] : undefined;
  }

  /** Whether some path other than by address leads to at most `countMax` accounts. */
  isWithin(countMax: number): boolean {
    return this.#access.isWithin(this.#query.filter, { countMax, isPast: this.#isPast });
  }

  *matches(): Generator<SearchStep<AccountScanRow>> {
    for (const { found, ...step } of this.candidates()) {
      const wanted = this.#filter.balances;
      const matches = wanted === undefined ? found : this.#withBalances(found, wanted);
      yield { ...step, found: matches.map(({ row }) => row) };
    }
  }

  /**
   * The accounts that match, as parts of statements with at most `size` accounts each. If a few ranges of addresses or one
   * pattern of SQL contain exactly the matches, no accounts are read.
   */
  *sources(size: number): Generator<AccountSource> {
    const ranges = this.#walked;
    if (ranges !== undefined && ranges.length <= RANGES_WALKED_MAX) {
      yield* this.#access.stretches(ranges, size);
      return;
    }
    const pattern = exactPattern(this.#query.filter);
    if (pattern !== undefined) {
      yield* this.#access.patternStretches(pattern, size);
      return;
    }
    for (const { found } of this.matches()) {
      for (let from = 0; from < found.length; from += size) {
        yield sourceOfIds(found.slice(from, from + size).map(({ id }) => id));
      }
    }
  }

  /**
   * The accounts that do not match, in the form of `sources`. Undefined unless ranges of addresses contain exactly these
   * accounts, and they are at most half as many as the matches.
   */
  others(size: number): Generator<AccountSource> | undefined {
    const ranges = this.#walked;
    if (ranges === undefined || ranges.every(isOneAddress)) return undefined;
    const others = otherRanges(ranges);
    if (others.length > RANGES_WALKED_MAX || !this.#access.areFew(others, ranges)) return undefined;
    return this.#access.stretches(others, size);
  }

  /** The accounts that match if their balances do. */
  *candidates(): Generator<SearchStep<Candidate>> {
    const scan = {
      ...this.#query,
      fields: this.#fields,
      held: this.#held,
      isPartial: this.#takesAll,
      rowsMax: Math.min(this.#filter.rowsMax, this.#query.rowsMax ?? Number.POSITIVE_INFINITY),
      isPast: this.#isPast,
      exact: this.#walked,
      sift: () => (this.#walked === undefined ? this.#sift() : undefined),
    };
    for (const { rows, passed, last } of this.#access.scan(scan)) {
      yield { passed, last, found: this.#filter.candidates(rows) };
    }
  }

  #sift(): Condition | undefined {
    const { filter, asOf, isPeriod } = this.#query;
    return siftOf(this.#sql, filter, isPeriod === true ? undefined : asOf);
  }

  /** Selects the rows of volumes that may match on their own. */
  get rows(): HoldingFilter {
    return this.#filter.rows;
  }

  /** Whether one row of a candidate's volumes matches on its own. */
  isMatch(candidate: Candidate, volumes: AssetVolumes): boolean {
    return this.#filter.isRowMatch(candidate, volumes);
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

function walkedRanges({ filter, column, within }: AccountQuery): SortedRange[] | undefined {
  return column === "address" && within === undefined ? exactRanges(filter) : undefined;
}

/** Whether a range contains one address at most: no address contains a character as low as U+0001. */
const isOneAddress = ({ from, below }: SortedRange): boolean => below === `${from}\u0001`;
