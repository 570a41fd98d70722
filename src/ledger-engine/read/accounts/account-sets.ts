import { type SortedRange, sortedRanges } from "./account-paths.ts";
import { exactPattern, siftOf } from "./account-sift.ts";
import { type SiftedRanges, siftedAccounts, siftedSteps } from "./skip-scan.ts";
import { gapsOf } from "#ledger-engine/rules/filters/address-gaps.ts";
import {
  addressMatcher,
  addressRanges,
  exactAddress,
} from "#ledger-engine/rules/filters/address-pattern.ts";
import { compileFilter } from "#ledger-engine/rules/filters/compiled-filter.ts";
import {
  type FilterTest,
  type LedgerFilter,
  testsOf,
} from "#ledger-engine/rules/filters/filters.ts";
import { assert } from "#platform/assert.ts";
import { likeMatcher, likePrefix } from "#platform/filter/like.ts";
import { textBelow } from "#platform/filter/text-ranges.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";

export type AddressTest = Extract<FilterTest, { kind: "address" | "addressLike" }>;

/** The most accounts of a set whose ids are read at once. */
const KNOWN_ACCOUNTS_MAX = 100;
/** The most addresses that SQL tests to find the accounts of a small set. */
const SIFTED_ACCOUNTS_MAX = 200_000;
/** The number of accounts of a larger set that are read at a time. */
const PAGE_ACCOUNTS = 5000;

/** The accounts whose addresses pass a test. */
export class AccountSet {
  readonly #sql: Sql;
  readonly #ranges: readonly SortedRange[];
  /** Selects the accounts of a pattern, and perhaps others; undefined if every account of the ranges passes, or if SQL cannot test it. */
  readonly #sifted: SiftedRanges | undefined;
  /** Whether SQL decides exactly which accounts pass. */
  readonly #isExact: boolean;
  readonly #matches: (address: string) => boolean;
  /** The ids of the accounts, if the test names them or if there are at most `KNOWN_ACCOUNTS_MAX`; else undefined. */
  readonly knownIds: readonly number[] | undefined;

  constructor(sql: Sql, test: AddressTest) {
    this.#sql = sql;
    this.#ranges = sortedRanges(rangesOf(test));
    this.#sifted = this.#siftedOf(test);
    this.#isExact = exactPattern(test) !== undefined;
    this.#matches = addressTester(test);
    const named = exactAddresses(test);
    this.knownIds =
      named === undefined ? (this.#readKnown() ?? this.#readSifted()) : this.#readNamed(named);
  }

  /**
   * The queries that give the ids of all accounts, one after the other. Where SQL decides exactly which accounts belong to the set, the
   * query of a page finds them, so that their addresses are not handed over.
   */
  *queries(): Generator<IdQuery> {
    if (this.knownIds === undefined && this.#sifted !== undefined && this.#isExact) {
      for (const { where, bindings } of siftedSteps(this.#sql, this.#sifted)) {
        yield { select: `SELECT id FROM account WHERE ${where}`, bindings };
      }
      return;
    }
    for (const page of this.pages()) yield idQuery(page);
  }

  /** The ids of all accounts, a page at a time. */
  *pages(): Generator<readonly number[]> {
    if (this.knownIds !== undefined) {
      yield this.knownIds;
      return;
    }
    let page: AccountSqlRow[] = [];
    for (const rows of this.#sifted === undefined ? this.#inRanges() : this.#inGaps(this.#sifted)) {
      page.push(...rows);
      if (page.length < PAGE_ACCOUNTS) continue;
      yield this.#idsOf(page);
      page = [];
    }
    yield this.#idsOf(page);
  }

  /** All accounts of the ranges. */
  *#inRanges(): Generator<readonly AccountSqlRow[]> {
    for (const range of this.#ranges) {
      let { from } = range;
      for (;;) {
        const rows = this.#read({ ...range, from }, PAGE_ACCOUNTS);
        yield rows;
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGE_ACCOUNTS) break;
        from = `${last.address}\u0001`; // no address contains a character as low as U+0001
      }
    }
  }

  /** The accounts that SQL does not rule out. */
  *#inGaps(sifted: SiftedRanges): Generator<readonly AccountSqlRow[]> {
    for (const { rows } of siftedAccounts(this.#sql, sifted)) {
      yield rows.map(({ id, address = "" }) => ({ id, address }));
    }
  }

  /** An upper estimate of the number of accounts, at most `max`: the number of accounts in the ranges of the test. */
  count(max: number): number {
    if (this.knownIds !== undefined) return Math.min(max, this.knownIds.length);
    let count = 0;
    for (const { from, below } of this.#ranges) {
      const [counted] = this.#sql.all<{ count: number }>(
        `SELECT count(*) AS count FROM (SELECT 1 ${FROM_RANGE} LIMIT ?3 + 0)`,
        from,
        below,
        max - count,
      );
      count += counted?.count ?? 0;
    }
    return count;
  }

  #readNamed(addresses: readonly string[]): number[] {
    const [address] = addresses;
    if (address !== undefined && addresses.length === 1) return this.#readOne(address);
    const rows = this.#sql.all<{ id: number }>(
      "SELECT id FROM account WHERE address IN (SELECT value FROM json_each(?))",
      stringifyJson(addresses),
    );
    return rows.map(({ id }) => id);
  }

  #readOne(address: string): number[] {
    return this.#sql
      .all<{ id: number }>("SELECT id FROM account WHERE address = ?", address)
      .map(({ id }) => id);
  }

  #readKnown(): number[] | undefined {
    const found: AccountSqlRow[] = [];
    for (const range of this.#ranges) {
      found.push(...this.#read(range, KNOWN_ACCOUNTS_MAX + 1 - found.length));
      if (found.length > KNOWN_ACCOUNTS_MAX) return undefined;
    }
    return this.#idsOf(found);
  }

  /** The ids of a small set in large ranges, which SQL tests. Undefined if the set or the number of tested accounts is too large. */
  #readSifted(): number[] | undefined {
    if (this.#sifted === undefined) return undefined;
    const found: AccountSqlRow[] = [];
    let testable = SIFTED_ACCOUNTS_MAX;
    for (const { rows, passed } of siftedAccounts(this.#sql, this.#sifted)) {
      for (const { id, address = "" } of rows) found.push({ id, address });
      testable -= passed;
      if (found.length > KNOWN_ACCOUNTS_MAX || testable < 0) return undefined;
    }
    return this.#idsOf(found);
  }

  #siftedOf(test: AddressTest): SiftedRanges | undefined {
    // Without an empty segment, every address in the ranges passes.
    const isWhole =
      test.kind === "address" && !test.patterns.some(({ segments }) => segments.includes(""));
    const condition = isWhole ? undefined : siftOf(this.#sql, test, undefined);
    return condition && { ranges: this.#ranges, condition, gaps: gapsOf(test) };
  }

  #read({ from, below }: SortedRange, limit: number): AccountSqlRow[] {
    return this.#sql.all<AccountSqlRow>(
      `SELECT id, address ${FROM_RANGE} ORDER BY address LIMIT ?3 + 0`,
      from,
      below,
      limit,
    );
  }

  #idsOf(rows: readonly AccountSqlRow[]): number[] {
    return rows.filter(({ address }) => this.#matches(address)).map(({ id }) => id);
  }
}

/** A statement that selects the column `id` of accounts. */
export interface IdQuery {
  readonly select: string;
  readonly bindings: readonly SqlValue[];
}

/** Selects given ids. */
export const idQuery = (ids: readonly number[]): IdQuery => ({
  select: "SELECT value AS id FROM json_each(?)",
  bindings: [`[${ids.join(",")}]`],
});

type AccountSqlRow = { id: number; address: string };

const FROM_RANGE = "FROM account WHERE address >= ?1 AND address < ?2";

/** The addresses that a test names; undefined if the test has a pattern. */
export function exactAddresses(test: AddressTest): string[] | undefined {
  if (test.kind === "addressLike") return undefined;
  const addresses = test.patterns.flatMap((pattern) => exactAddress(pattern) ?? []);
  return addresses.length === test.patterns.length ? addresses : undefined;
}

/** Makes a function that decides whether an address passes a test. */
export function addressTester(test: AddressTest): (address: string) => boolean {
  if (test.kind === "addressLike") return likeMatcher(test.pattern);
  const named = exactAddresses(test);
  if (named !== undefined) {
    const addresses = new Set(named);
    return (address) => addresses.has(address);
  }
  const matchers = test.patterns.map(addressMatcher);
  return (address) => matchers.some((matches) => matches(address));
}

/** Makes a function that decides whether an address passes a filter; undefined if the filter tests anything but addresses. */
export function addressFilter(filter: LedgerFilter): ((address: string) => boolean) | undefined {
  const isAboutAddresses = [...testsOf(filter)].every(isAddressTest);
  if (!isAboutAddresses) return undefined;
  return compileFilter<string>(filter, (test) => {
    assert(isAddressTest(test), "every test of the filter is one of addresses");
    return addressTester(test);
  });
}

const isAddressTest = (test: FilterTest): test is AddressTest =>
  test.kind === "address" || test.kind === "addressLike";

function rangesOf(test: AddressTest) {
  if (test.kind === "address") return test.patterns.flatMap(addressRanges);
  const prefix = likePrefix(test.pattern);
  return [{ from: prefix, below: textBelow(prefix) }];
}
