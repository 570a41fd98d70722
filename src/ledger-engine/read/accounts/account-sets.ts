import { isShortGlob, likeGlob, patternGlob } from "./account-sift.ts";
import {
  addressMatcher,
  type AddressRange,
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
import type { Sql } from "#platform/sql/sql.ts";

export type AddressTest = Extract<FilterTest, { kind: "address" | "addressLike" }>;

/** The most accounts of a set whose ids are read at once. */
const KNOWN_ACCOUNTS_MAX = 100;
/** The most addresses of each range that SQL tests to find the accounts of a small set. */
const SIFTED_ACCOUNTS_MAX = 200_000;
/** The number of accounts of a larger set that are read at a time. */
const PAGE_ACCOUNTS = 5000;

/** The accounts whose addresses pass a test. */
export class AccountSet {
  readonly #sql: Sql;
  readonly #ranges: readonly AddressRange[];
  readonly #matches: (address: string) => boolean;
  /** The ids of the accounts, if the test names them or if there are at most `KNOWN_ACCOUNTS_MAX`; else undefined. */
  readonly knownIds: readonly number[] | undefined;

  constructor(sql: Sql, test: AddressTest) {
    this.#sql = sql;
    this.#ranges = rangesOf(test);
    this.#matches = addressTester(test);
    const named = exactAddresses(test);
    this.knownIds =
      named === undefined ? (this.#readKnown() ?? this.#readSifted(test)) : this.#readNamed(named);
  }

  /** The ids of all accounts, a page at a time. */
  *pages(): Generator<readonly number[]> {
    if (this.knownIds !== undefined) {
      yield this.knownIds;
      return;
    }
    for (const range of this.#ranges) {
      let { from } = range;
      for (;;) {
        const rows = this.#read({ ...range, from }, PAGE_ACCOUNTS);
        yield this.#idsOf(rows);
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGE_ACCOUNTS) break;
        from = `${last.address}\u0001`; // no address contains a character as low as U+0001
      }
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
        below ?? null,
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

  /** The ids of a small set in large ranges, which SQL tests. Undefined if the set or the ranges are too large. */
  #readSifted(test: AddressTest): number[] | undefined {
    const glob = globOfTest(test);
    if (glob === undefined || !isShortGlob(glob)) return undefined;
    const found: AccountSqlRow[] = [];
    for (const { from, below } of this.#ranges) {
      const range = [from, below ?? null];
      const limit = KNOWN_ACCOUNTS_MAX + 1 - found.length;
      const values = [...range, SIFTED_ACCOUNTS_MAX, glob, limit];
      found.push(...this.#sql.all<AccountSqlRow>(SELECT_SIFTED, ...values));
      if (found.length > KNOWN_ACCOUNTS_MAX) return undefined;
      if (this.#sql.all(IS_LONG, ...range, SIFTED_ACCOUNTS_MAX).length > 0) return undefined;
    }
    return this.#idsOf(found);
  }

  #read({ from, below }: AddressRange, limit: number): AccountSqlRow[] {
    return this.#sql.all<AccountSqlRow>(
      `SELECT id, address ${FROM_RANGE} ORDER BY address LIMIT ?3 + 0`,
      from,
      below ?? null,
      limit,
    );
  }

  #idsOf(rows: readonly AccountSqlRow[]): number[] {
    return rows.filter(({ address }) => this.#matches(address)).map(({ id }) => id);
  }
}

type AccountSqlRow = { id: number; address: string };

/** A null upper bound becomes the empty blob, which sorts after every text. */
const FROM_RANGE = "FROM account WHERE address >= ?1 AND address < coalesce(?2, x'')";

const IS_LONG = `SELECT 1 ${FROM_RANGE} ORDER BY address LIMIT 1 OFFSET ?3 + 0`;
/** The inner limit bounds the addresses that are tested, the outer limit those that are found. */
const SELECT_SIFTED = `SELECT id, address FROM (SELECT id, address ${FROM_RANGE} ORDER BY address LIMIT ?3 + 0)
  WHERE address GLOB ?4 LIMIT ?5 + 0`;

/** A `GLOB` pattern that matches all addresses that pass a test, and perhaps others; undefined if a pattern cannot narrow the ranges. */
function globOfTest(test: AddressTest): string | undefined {
  if (test.kind === "addressLike") return likeGlob(test.pattern);
  const [pattern, ...others] = test.patterns;
  if (pattern === undefined || others.length > 0) return undefined;
  // Without an empty segment, every address in the range passes.
  return pattern.segments.includes("") ? patternGlob(pattern) : undefined;
}

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

function rangesOf(test: AddressTest): AddressRange[] {
  if (test.kind === "address") return test.patterns.flatMap(addressRanges);
  const prefix = likePrefix(test.pattern);
  return [{ from: prefix, below: textBelow(prefix) }];
}
