import * as fc from "fast-check";
import {
  dateNear,
  filterOf,
  type FilteredResource,
  type Vocabulary,
  vocabularyOf,
} from "./filters.ts";
import type {
  BalanceHistoryQuestion,
  BalanceQuery,
  ExpandedListQuery,
  LedgerHistory,
  ListQuery,
  VolumeQuery,
} from "./history.ts";
import { malformedFilter, type MalformedFilter } from "./malformed-filters.ts";
import { parseAccount, parseAsset } from "#ledger-engine/rules/names.ts";
import { fromMicros, toMicros } from "#platform/time.ts";

/** A read of a ledger. */
export type LedgerQuery =
  | ({ readonly read: "transactions"; readonly id: number } & Paged & ExpandedListQuery)
  | ({ readonly read: "accounts"; readonly address: string } & Paged & ExpandedListQuery)
  | ({ readonly read: "volumes" } & Paged & VolumeQuery)
  | ({ readonly read: "logs" } & Paged & ListQuery)
  | ({ readonly read: "balances" } & BalanceQuery)
  | ({ readonly read: "balanceHistory" } & BalanceHistoryQuestion)
  | ({ readonly read: "malformed" } & MalformedFilter);

export interface Paged {
  readonly pageSize: number;
  /** Whether the first page is read by its offset, as by cursors of the reference server. */
  readonly byOffset: boolean;
}

/** Reads of a ledger whose history is known. */
export function queriesAbout(history: LedgerHistory): fc.Arbitrary<LedgerQuery> {
  const words = vocabularyOf(history);
  return fc.oneof(
    { weight: 24, arbitrary: transactionQuery(words) },
    { weight: 25, arbitrary: accountQuery(words) },
    { weight: 25, arbitrary: volumeQuery(words) },
    { weight: 12, arbitrary: balanceQuery(words) },
    { weight: 4, arbitrary: logQuery(words) },
    { weight: 4, arbitrary: balanceHistoryQuery(words) },
    { weight: 8, arbitrary: malformedQuery(words) },
  );
}

/** Undefined in about one of three cases. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });

const scopeOf = (resource: FilteredResource, words: Vocabulary) => ({
  where: fc.option(filterOf(resource, words), { nil: undefined, freq: 8 }),
  pit: maybe(dateNear(words)),
  oot: maybe(dateNear(words)),
});

const pagesBy = (...columns: string[]) => ({
  column: fc.constantFrom(...columns),
  order: fc.constantFrom("asc" as const, "desc" as const),
  pageSize: fc.integer({ min: 1, max: 20 }),
  byOffset: fc.nat(4).map((dice) => dice === 0),
});

const EXPANSION = { volumes: fc.boolean(), effectiveVolumes: fc.boolean() };

const transactionQuery = (words: Vocabulary): fc.Arbitrary<LedgerQuery> =>
  fc.record({
    read: fc.constant("transactions" as const),
    id: fc.constantFrom(...words.ids),
    ...scopeOf("transactions", words),
    ...pagesBy("id", "timestamp", "inserted_at", "updated_at", "reverted_at"),
    ...EXPANSION,
  });

const accountQuery = (words: Vocabulary): fc.Arbitrary<LedgerQuery> =>
  fc.record({
    read: fc.constant("accounts" as const),
    address: fc.constantFrom(...words.addresses, "nobody", "users:", "..."),
    ...scopeOf("accounts", words),
    ...pagesBy("address", "first_usage", "insertion_date", "updated_at"),
    // Volumes are asked for rarely, because a ledger that keeps none refuses every list with volumes.
    volumes: fc.nat(3).map((dice) => dice === 0),
    effectiveVolumes: fc.nat(3).map((dice) => dice === 0),
  });

const volumeQuery = (words: Vocabulary): fc.Arbitrary<LedgerQuery> =>
  fc
    .record({
      read: fc.constant("volumes" as const),
      ...scopeOf("volumes", words),
      ...pagesBy("account"),
      insertionDate: fc.boolean(),
      groupBy: fc.constantFrom(0, 0, 0, -1, 1, 2, 3, 9),
      isSwapped: fc.nat(9).map((dice) => dice > 0),
    })
    .map(({ isSwapped, ...query }) => {
      const { pit, oot } = query;
      // Most periods that would end before they begin are turned round.
      const isEmpty = pit !== undefined && oot !== undefined && pit < oot;
      return isEmpty && isSwapped ? { ...query, pit: oot, oot: pit } : query;
    });

const logQuery = (words: Vocabulary): fc.Arbitrary<LedgerQuery> =>
  fc.record({
    read: fc.constant("logs" as const),
    ...scopeOf("logs", words),
    ...pagesBy("id", "date"),
  });

const balanceQuery = (words: Vocabulary): fc.Arbitrary<LedgerQuery> => {
  const { where, pit } = scopeOf("balances", words);
  return fc.record({
    read: fc.constant("balances" as const),
    where,
    pit,
    useInsertionDate: fc.boolean(),
  });
};

/** Reads of a balance history with some intervals between two dates, of which the last may be shorter. */
const balanceHistoryQuery = (words: Vocabulary): fc.Arbitrary<LedgerQuery> =>
  fc
    .record({
      account: fc.constantFrom(...words.addresses, "nobody"),
      asset: fc.constantFrom(...words.assets, "XXX"),
      dates: fc.tuple(dateNear(words), dateNear(words)).filter(([a, b]) => a !== b),
      parts: fc.bigInt(1n, 20n),
      insertionDate: fc.boolean(),
    })
    .map(({ account, asset, dates, parts, insertionDate }) => {
      const [from = 0n, to = 0n] = dates.map(toMicros).toSorted((a, b) => (a < b ? -1 : 1));
      return {
        read: "balanceHistory" as const,
        account: parseAccount(account, "account"),
        asset: parseAsset(asset),
        startTime: fromMicros(from),
        endTime: fromMicros(to),
        interval: (to - from + parts - 1n) / parts,
        insertionDate,
      };
    });

const malformedQuery = (words: Vocabulary): fc.Arbitrary<LedgerQuery> =>
  fc
    .constantFrom<FilteredResource>("transactions", "accounts", "volumes", "balances", "logs")
    .chain((resource) => malformedFilter(resource, words))
    .map((malformed) => ({ read: "malformed" as const, ...malformed }));
