import type { AccountScanRow } from "./account-filter.ts";
import { AccountRecords, areCurrent, RECORDS_MAX } from "./account-records.ts";
import { AccountSearch, type SearchStep } from "./account-search.ts";
import { accountKey, orderOf } from "./account-walks.ts";
import { ACCOUNT_COLUMNS, type AccountColumn } from "./scan-reader.ts";
import {
  AccountVolumeReader,
  type AsOf,
  assertMoves,
  NOW,
} from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import {
  type LedgerFilter,
  parseLedgerFilter,
  testsOf,
  weightOf,
} from "#ledger-engine/rules/filters/filters.ts";
import { ROWS_TRIED_MAX } from "#ledger-engine/rules/limits.ts";
import type {
  CountPart,
  CountQuery,
  SingleRead,
  VolumeExpansion,
} from "#ledger-engine/rules/reads.ts";
import type { AccountRecord } from "#ledger-engine/rules/types.ts";
import { AppError } from "#platform/errors.ts";
import { type Page, pageOf, scanOf } from "#platform/paging/pagination.ts";
import { type PageKey, type PageQuery } from "#platform/paging/query.ts";
import type { Timestamp } from "#platform/time.ts";

/** The number of accounts, about, that one part of a count tests. */
const COUNTED_MAX = 20_000;

/** Reads one account, a page of the accounts that match a filter, or their number. */
export class AccountLists {
  readonly #context: ReadContext;
  readonly #records: AccountRecords;

  constructor(context: ReadContext) {
    this.#context = context;
    this.#records = new AccountRecords(context);
  }

  find(address: string, { pit, ...expansion }: SingleRead): AccountRecord | undefined {
    this.#assertServed(expansion, pit);
    return this.#records.find(address, { ...expansion, pit });
  }

  list(query: PageQuery, expansion: VolumeExpansion): Page<AccountRecord> {
    this.#assertServed(expansion, query.pit);
    const column = columnOf(query.column);
    const { bound, order, offset, limit } = scanOf(query);
    const accounts = this.#accountsOf(query.where, query.pit);
    const search = new AccountSearch(this.#context, {
      ...accounts,
      column,
      order,
      ...(bound === undefined ? {} : { bound }),
      firstRows: limit,
      readsRows: offset === 0 && limit <= RECORDS_MAX,
      readsVolumes: areCurrent(expansion, query.pit),
    });
    // A page by offset is read in one turn, because a part of it could not say how many accounts are left to skip.
    const passedMax =
      query.kind === "offset" ? Infinity : ROWS_TRIED_MAX / weightOf(accounts.filter);
    const { rows, last } = taken(search.matches(), { offset, limit, passedMax });
    const { volumes, effectiveVolumes } = expansion;
    // `limit` is one more than the page holds: the last row only tells that there is another page.
    const wanted = rows.slice(0, limit - 1);
    const records = this.#records.list(wanted, { volumes, effectiveVolumes, pit: query.pit });
    const found = rows.map((row, index) => ({ row, record: records[index] }));
    const page = pageOf(query, found, {
      keyOf: ({ row }) => accountKey(column, row),
      keptMax: records.length,
      // A page that has reached the limit in bytes ends early, and the next page continues from its last row.
      readTo:
        last === undefined || records.length < rows.length ? undefined : accountKey(column, last),
    });
    return { ...page, data: page.data.flatMap(({ record }) => record ?? []) };
  }

  /** Counts the accounts that match, in parts. `after` is the account at which the part before ended. */
  count({ where, pit }: CountQuery, after?: string): CountPart {
    const accounts = this.#accountsOf(where, pit);
    if (accounts.filter === undefined) return { count: this.#context.sizes.accountCount };
    const column = orderOf(accounts.filter);
    const search = new AccountSearch(this.#context, {
      ...accounts,
      column,
      order: "asc",
      ...(after === undefined ? {} : { bound: { key: parseKey(after), inclusive: false } }),
      firstRows: undefined,
    });
    let [count, passed] = [0, 0];
    for (const step of search.matches()) {
      count += step.found.length;
      passed += step.passed;
      if (passed * weightOf(accounts.filter) >= COUNTED_MAX)
        return { count, after: keyText(accountKey(column, step.last)) };
    }
    return { count };
  }

  #accountsOf(
    where: string | undefined,
    pit: Timestamp | undefined,
  ): { filter: LedgerFilter | undefined; pit: Timestamp | undefined; asOf: AsOf } {
    const filter = parseLedgerFilter("accounts", where);
    const asksBalances = filter !== undefined && testsOf(filter).some((test) => "asset" in test);
    if (pit === undefined) return { filter, pit, asOf: NOW };
    if (asksBalances) assertMoves(this.#context.features);
    const asOf = asksBalances
      ? AccountVolumeReader.of(this.#context).asOfDate(pit, { insertionDate: false })
      : NOW;
    return { filter: used(filter, pit), pit, asOf };
  }

  #assertServed(
    { volumes, effectiveVolumes, areImplied = false }: VolumeExpansion,
    pit: Timestamp | undefined,
  ): void {
    const { features } = this.#context;
    const asksHistory = volumes && !(areImplied && pit === undefined);
    if (asksHistory && features.MOVES_HISTORY !== "ON") {
      throw new AppError("VALIDATION", "feature MOVES_HISTORY must be 'ON' to use volumes");
    }
    if (effectiveVolumes && features.MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES !== "SYNC") {
      throw new AppError(
        "VALIDATION",
        "feature MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES must be 'SYNC' to use effectiveVolumes",
      );
    }
  }
}

function columnOf(name: string): AccountColumn {
  const column = ACCOUNT_COLUMNS.find((known) => known === name);
  if (column === undefined) throw new Error(`accounts are not sorted by ${name}`);
  return column;
}

/** Adds the condition that accounts had been used by a point in time. */
function used(filter: LedgerFilter | undefined, pit: Timestamp): LedgerFilter {
  const test = { kind: "date", key: "first_usage", operator: "$lte", value: pit } as const;
  return filter === undefined ? test : { kind: "all", filters: [filter, test] };
}

/**
 * Takes `limit` accounts that a search finds, after the first `offset` ones. If the search has passed `passedMax` accounts
 * before, it stops and returns the last account that it passed, so that the ledger can do other work in between.
 */
function taken(
  steps: Iterable<SearchStep<AccountScanRow>>,
  { offset, limit, passedMax }: { offset: number; limit: number; passedMax: number },
): { rows: AccountScanRow[]; last?: AccountScanRow } {
  const rows: AccountScanRow[] = [];
  let [left, passable] = [offset, passedMax];
  for (const { found, passed, last } of steps) {
    const skipped = Math.min(left, found.length);
    left -= skipped;
    rows.push(...found.slice(skipped, skipped + limit - rows.length));
    if (rows.length >= limit) break;
    passable -= passed;
    if (passable <= 0) return { rows, last };
  }
  return { rows };
}

/** A key as text, with a space between value and tie: no address contains a space. */
const keyText = ({ value, tie = 0n }: PageKey): string => `${value} ${tie}`;

function parseKey(text: string): PageKey {
  const [value = "", tie = "0"] = text.split(" ");
  return { value, tie: BigInt(tie) };
}
