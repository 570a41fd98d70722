import type { TransactionRow } from "./transaction-rows.ts";
import {
  type AccountSet,
  type AddressTest,
  addressTester,
  exactAddresses,
} from "#ledger-engine/read/accounts/account-sets.ts";
import {
  compileFilter,
  isRelated,
  type TruthValue,
} from "#ledger-engine/rules/filters/compiled-filter.ts";
import {
  type FilterTest,
  type LedgerFilter,
  testsOf,
} from "#ledger-engine/rules/filters/filters.ts";
import type { MetadataHistory } from "#ledger-engine/storage/metadata-history.ts";
import type { StoredNames } from "#ledger-engine/storage/names/names.ts";
import { likeMatcher } from "#platform/filter/like.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** The most accounts whose test results are remembered during one read. */
const ACCOUNTS_KNOWN_MAX = 100_000;

type Judge = (row: TransactionRow) => TruthValue;

/** Decides which transactions match a filter, and replaces their metadata with the metadata at a point in time. */
export class TransactionFilter {
  readonly #sources: TransactionFilterSources;
  readonly #isMatch: ((row: TransactionRow) => boolean) | undefined;
  readonly #asksMetadata: boolean;
  /** The tests of addresses by pattern, with the accounts that are known to pass. */
  readonly #addressTests: AddressMemo[] = [];
  readonly #known = new Set<number>();

  constructor(filter: LedgerFilter | undefined, sources: TransactionFilterSources) {
    this.#sources = sources;
    const tests = filter === undefined ? [] : [...testsOf(filter)];
    this.#asksMetadata = tests.some(({ kind }) => kind.startsWith("metadata"));
    this.#isMatch =
      filter === undefined ? undefined : compileFilter(filter, (test) => this.#compile(test));
  }

  matching(rows: readonly TransactionRow[]): readonly TransactionRow[] {
    if (this.#isMatch === undefined) return rows;
    if (this.#addressTests.length > 0) this.#learn(rows);
    if (this.#asksMetadata) this.applyHistory(rows);
    return rows.filter(this.#isMatch);
  }

  /** Sets the metadata that rows had at the point in time. */
  applyHistory(rows: readonly TransactionRow[]): void {
    const { history, metadataAt } = this.#sources;
    if (metadataAt === undefined) return;
    const changed = rows.filter((row) => row.hasNewMetadata && row.pastMetadata === undefined);
    const past = history.transactionsAt(changed, metadataAt);
    for (const row of changed) row.pastMetadata = past.get(row.id);
  }

  /** Tests the addresses of accounts that earlier rows did not have. */
  #learn(rows: readonly TransactionRow[]): void {
    if (this.#known.size > ACCOUNTS_KNOWN_MAX) {
      this.#known.clear();
      for (const memo of this.#addressTests) memo.passing.clear();
    }
    const unknown = new Set<number>();
    for (const { payload } of rows) {
      for (const { source, destination } of payload.postings) {
        if (!this.#known.has(source)) unknown.add(source);
        if (!this.#known.has(destination)) unknown.add(destination);
      }
    }
    const names = this.#sources.names.prefetch({ accounts: unknown });
    for (const id of unknown) {
      const address = names.account(id);
      this.#known.add(id);
      for (const { passing, passes } of this.#addressTests) if (passes(address)) passing.add(id);
    }
  }

  #compile(test: FilterTest): Judge {
    switch (test.kind) {
      case "number":
        return ({ id }) => isRelated(BigInt(id), test.operator, test.value);
      case "date":
        return dateJudge(test);
      case "boolean":
        return ({ reverted }) => (reverted !== undefined) === test.value;
      case "text": {
        const values = new Set(test.values);
        return referenceJudge((reference) => values.has(reference));
      }
      case "like":
        return referenceJudge(likeMatcher(test.pattern));
      case "address":
      case "addressLike":
        return this.#addressJudge(test);
      case "metadata":
      case "metadataLike":
      case "metadataExists":
        return metadataJudge(test);
      case "balance":
      case "balanceExists":
        throw new Error(`transactions have no ${test.kind}`);
    }
  }

  #addressJudge(test: AddressTest): Judge {
    const accounts = this.#passing(test);
    switch (test.key) {
      case "source":
        return ({ payload }) => payload.postings.some(({ source }) => accounts.has(source));
      case "destination":
        return ({ payload }) =>
          payload.postings.some(({ destination }) => accounts.has(destination));
      default:
        return ({ payload }) =>
          payload.postings.some(
            ({ source, destination }) => accounts.has(source) || accounts.has(destination),
          );
    }
  }

  /** The ids of the accounts that pass a test: all of them if the test names addresses, else among the rows that were tried. */
  #passing(test: AddressTest): ReadonlySet<number> {
    if (exactAddresses(test) !== undefined) {
      return new Set(this.#sources.accountsOf(test).knownIds);
    }
    const memo = { passing: new Set<number>(), passes: addressTester(test) };
    this.#addressTests.push(memo);
    return memo.passing;
  }
}

export interface TransactionFilterSources {
  readonly names: StoredNames;
  readonly history: MetadataHistory;
  /** The point in time of metadata; undefined for the present, and for ledgers without a history of metadata. */
  readonly metadataAt: Timestamp | undefined;
  /** The accounts whose addresses pass a test. */
  readonly accountsOf: (test: AddressTest) => AccountSet;
}

/** A test of addresses, and the ids of accounts that were tested and pass. */
interface AddressMemo {
  readonly passing: Set<number>;
  readonly passes: (address: string) => boolean;
}

/** Tests a reference. The result is unknown for a transaction without a reference. */
const referenceJudge =
  (matches: (reference: string) => boolean): Judge =>
  ({ reference }) =>
    reference === undefined ? undefined : matches(reference);

/** Tests a date. The result is unknown for the date of the revert of a transaction that was not reverted. */
function dateJudge({ key, operator, value }: Extract<FilterTest, { kind: "date" }>): Judge {
  const wanted = toMicros(value);
  switch (key) {
    case "inserted_at":
      return ({ inserted }) => isRelated(inserted, operator, wanted);
    case "updated_at":
      return ({ updated }) => isRelated(updated, operator, wanted);
    case "reverted_at":
      return ({ reverted }) =>
        reverted === undefined ? undefined : isRelated(reverted, operator, wanted);
    default:
      return ({ timestamp }) => isRelated(timestamp, operator, wanted);
  }
}

type MetadataTest = Extract<FilterTest, { kind: "metadata" | "metadataLike" | "metadataExists" }>;

function metadataJudge(test: MetadataTest): Judge {
  const { name } = test;
  const passes = valueTester(test);
  return ({ metadata }) => Object.hasOwn(metadata, name) && passes(metadata[name] ?? "");
}

function valueTester(test: MetadataTest): (value: string) => boolean {
  switch (test.kind) {
    case "metadata": {
      const values = new Set(test.values);
      return (value) => values.has(value);
    }
    case "metadataLike":
      return likeMatcher(test.pattern);
    case "metadataExists":
      return () => true;
  }
}
