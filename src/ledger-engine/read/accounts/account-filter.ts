import type { HoldingFilter } from "#ledger-engine/read/scan/account-volumes.ts";
import { addressMatcher, exactAddress } from "#ledger-engine/rules/filters/address-pattern.ts";
import {
  isRelated,
  judgeOf,
  type TruthValue,
} from "#ledger-engine/rules/filters/compiled-filter.ts";
import {
  type FilterTest,
  type LedgerFilter,
  testsOf,
} from "#ledger-engine/rules/filters/filters.ts";
import type { Metadata, Volumes } from "#ledger-engine/rules/types.ts";
import { type AccountSqlRow, parseMetadata } from "#ledger-engine/storage/account-rows.ts";
import type { MetadataHistory } from "#ledger-engine/storage/metadata-history.ts";
import { likeMatcher } from "#platform/filter/like.ts";
import { quoteJson, stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** The fields of an account's row, besides its id, that a filter looks at. */
export const ACCOUNT_FIELDS = ["address", "first", "inserted", "updated", "metadata"] as const;
export type AccountField = (typeof ACCOUNT_FIELDS)[number];

/** An account with the fields that were read. Dates are microseconds. */
export type AccountScanRow = Readonly<{ id: number } & Partial<Omit<AccountSqlRow, "id">>> & {
  /** The current volumes, where they were read; see `HELD_COLUMNS`. */
  readonly held?: string;
};

/** The volumes of an account in one asset, which is given by its id. */
export type AssetVolumes = Volumes & { readonly asset: number };

/** An account that may match. */
export interface Candidate {
  readonly row: AccountScanRow;
  /** The metadata as of the point in time. Undefined stands for the present. */
  readonly past: Metadata | undefined;
}

/** This many accounts are tested together, fewer where the filter reads their metadata, which may be large. */
const ROWS_MAX = 5000;
const METADATA_ROWS_MAX = 500;
/** One statement tests at most this many conditions on balances. The filter tests the others. */
const BOUNDS_MAX = 8;

export interface AccountFilterSources {
  readonly sql: Sql;
  readonly history: MetadataHistory;
  /**
   * The point in time that metadata is read as of. Undefined stands for the present, and for ledgers that keep no
   * history.
   */
  readonly metadataAt: Timestamp | undefined;
}

/** Decides which accounts match. */
export interface AccountJudge {
  /** The fields that it looks at. */
  readonly fields: readonly AccountField[];
  /** How many accounts should be looked at together. */
  readonly rowsMax: number;
  /** Which balances must be read to decide. Undefined if none are needed. */
  readonly balances: HoldingFilter | undefined;
  /** Which rows of volumes may match on their own. */
  readonly rows: HoldingFilter;
  /** The accounts that match if their balances do. Only these need their balances read. */
  candidates(rows: readonly AccountScanRow[]): Candidate[];
  /** Whether a candidate matches, given the volumes of all assets that are asked for. */
  isMatch(candidate: Candidate, volumes: readonly AssetVolumes[]): boolean;
  /** Whether a row of a candidate's volumes matches: one asset, beside which it has no other. */
  isRowMatch(candidate: Candidate, row: AssetVolumes): boolean;
}

/** For a list without a filter, and one that walks exactly the accounts that match. */
export const EVERY_ACCOUNT: AccountJudge = {
  fields: [],
  rowsMax: ROWS_MAX,
  balances: undefined,
  rows: { assets: undefined, bounds: [] },
  candidates: (rows) => rows.map((row) => ({ row, past: undefined })),
  isMatch: () => true,
  isRowMatch: () => true,
};

/**
 * Decides which accounts match a filter. Tests that need reads of their own are left for accounts that the other tests
 * have not ruled out: first past metadata, then balances.
 */
export class AccountFilter implements AccountJudge {
  readonly fields: readonly AccountField[];
  readonly rowsMax: number;
  readonly balances: HoldingFilter | undefined;
  readonly rows: HoldingFilter;
  readonly #sources: AccountFilterSources;
  readonly #asksPast: boolean;
  readonly #judge: Judge;

  constructor(filter: LedgerFilter, sources: AccountFilterSources) {
    const tests = [...testsOf(filter)];
    this.#sources = sources;
    this.rowsMax = tests.some(isAboutMetadata) ? METADATA_ROWS_MAX : ROWS_MAX;
    this.#asksPast = sources.metadataAt !== undefined && tests.some(isAboutMetadata);
    const balances = tests.filter((test) => "asset" in test);
    const ids = assetIds(sources.sql, balances);
    this.balances = balances.length === 0 ? undefined : wantedBalances(filter, balances, ids);
    this.rows = wantedRows(filter, ids);
    this.fields = [...new Set(tests.flatMap((test) => fieldOf(test, this.#asksPast)))];
    this.#judge = judgeOf(filter, (test) => compileTest(test, ids));
  }

  candidates(rows: readonly AccountScanRow[]): Candidate[] {
    const unknown = { metadata: undefined, balances: undefined, isOneRow: false };
    const possible = rows.filter(
      (row) => this.#judge({ row, ...unknown, isPast: this.#asksPast }) !== false,
    );
    if (!this.#asksPast) return possible.map((row) => ({ row, past: undefined }));
    const past = this.#pastOf(possible);
    return possible
      .map((row) => ({ row, past: past.get(row.id) ?? {} }))
      .filter((candidate) => this.#judge(this.#subjectOf(candidate, undefined)) !== false);
  }

  isMatch(candidate: Candidate, volumes: readonly AssetVolumes[]): boolean {
    return this.#judge(this.#subjectOf(candidate, volumes)) === true;
  }

  isRowMatch(candidate: Candidate, row: AssetVolumes): boolean {
    return this.#judge({ ...this.#subjectOf(candidate, [row]), isOneRow: true }) === true;
  }

  #subjectOf({ row, past }: Candidate, balances: Subject["balances"]): Subject {
    return { row, metadata: past, balances, isOneRow: false, isPast: this.#asksPast };
  }

  #pastOf(rows: readonly AccountScanRow[]): ReadonlyMap<number, Metadata> {
    const { history, metadataAt } = this.#sources;
    if (metadataAt === undefined) return new Map();
    const named = rows.map(({ id, address = "" }) => ({ id, address }));
    return history.accountsAt(named, metadataAt);
  }
}

/** What the tests look at. */
interface Subject {
  readonly row: AccountScanRow;
  /** The past metadata. Undefined where it was not read, and where the row's own metadata counts. */
  readonly metadata: Metadata | undefined;
  /** The volumes of the account. Undefined where they were not read. */
  readonly balances: readonly AssetVolumes[] | undefined;
  /** Whether a row of volumes is judged instead of an account. It has one asset, and is known not to have another. */
  readonly isOneRow: boolean;
  /** Whether past metadata counts instead of the row's own. */
  readonly isPast: boolean;
}

type Judge = (subject: Subject) => TruthValue;

const isAboutMetadata = ({ kind }: FilterTest): boolean =>
  kind === "metadata" || kind === "metadataLike" || kind === "metadataExists";

const DATE_FIELDS: Readonly<Record<string, "first" | "inserted" | "updated">> = {
  first_usage: "first",
  insertion_date: "inserted",
  updated_at: "updated",
};

function fieldOf(test: FilterTest, asksPast: boolean): AccountField[] {
  switch (test.kind) {
    case "address":
    case "addressLike":
      return ["address"];
    case "date":
      return [DATE_FIELDS[test.key] ?? "first"];
    case "metadata":
    case "metadataLike":
    case "metadataExists":
      // The history names accounts by their addresses.
      return [asksPast ? "address" : "metadata"];
    default:
      return [];
  }
}

function compileTest(test: FilterTest, assets: ReadonlyMap<string, number>): Judge {
  switch (test.kind) {
    case "address":
      return addressJudge(test);
    case "addressLike": {
      const matches = likeMatcher(test.pattern);
      return ({ row }) => matches(row.address ?? "");
    }
    case "date":
      return dateJudge(test);
    case "metadata": {
      const values = new Set(test.values);
      return metadataJudge(test.name, (value) => values.has(value));
    }
    case "metadataLike":
      return metadataJudge(test.name, likeMatcher(test.pattern));
    case "metadataExists":
      return metadataJudge(test.name, () => true);
    case "balance":
      return balanceJudge(test, assets);
    case "balanceExists": {
      const asset = assets.get(test.asset);
      return ({ balances }) => balances?.some((volumes) => volumes.asset === asset);
    }
    default:
      throw new Error(`accounts are not filtered by a ${test.kind}`);
  }
}

function addressJudge({ patterns }: Extract<FilterTest, { kind: "address" }>): Judge {
  const exact = new Set(patterns.map(exactAddress));
  const matchers = patterns
    .filter((pattern) => exactAddress(pattern) === undefined)
    .map(addressMatcher);
  return ({ row: { address = "" } }) =>
    exact.has(address) || matchers.some((matches) => matches(address));
}

function dateJudge({ key, operator, value }: Extract<FilterTest, { kind: "date" }>): Judge {
  const field = DATE_FIELDS[key];
  if (field === undefined) throw new Error(`accounts have no date ${key}`);
  const micros = toMicros(value);
  return ({ row }) => isRelated(BigInt(row[field] ?? 0), operator, micros);
}

function metadataJudge(name: string, isValue: (value: string) => boolean): Judge {
  const quoted = quoteJson(name);
  const judge = (metadata: Metadata): boolean => {
    const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
    return value !== undefined && isValue(value);
  };
  return ({ row, metadata, isPast }) => {
    if (isPast) return metadata === undefined ? undefined : judge(metadata);
    const text = row.metadata ?? "";
    // Most rows need not be parsed: a text that does not contain the quoted key has no such member.
    return text.includes(quoted) && judge(parseMetadata(text));
  };
}

/**
 * The balance of an asset that an account has never moved is unknown, and so is that of an asset that no account has. A row of volumes
 * of another asset fails the test, as in the reference server, so that it passes the negation.
 */
function balanceJudge(
  { asset: name, operator, value }: Extract<FilterTest, { kind: "balance" }>,
  assets: ReadonlyMap<string, number>,
): Judge {
  const asset = name === undefined ? undefined : assets.get(name);
  return ({ balances, isOneRow }) => {
    const held = balances?.filter((volumes) => name === undefined || volumes.asset === asset);
    if (held === undefined || held.length === 0) return isOneRow ? false : undefined;
    return held.some(({ input, output }) => isRelated(input - output, operator, value));
  };
}

type BalanceTest = Extract<FilterTest, { readonly asset: string | undefined }>;

/**
 * The balances that decide whether an account matches. Holdings that fail a test that every match must pass need not be
 * read.
 */
function wantedBalances(
  filter: LedgerFilter,
  tests: readonly BalanceTest[],
  ids: ReadonlyMap<string, number>,
): HoldingFilter {
  const needed = neededTests(filter).filter((test) => test.kind === "balance");
  const names = new Set(tests.map(({ asset }) => asset));
  // With several assets, one test may hold for one asset and another test for another.
  const isOne = names.size === 1 && (tests.length === 1 || !names.has(undefined));
  return {
    assets: names.has(undefined) ? undefined : [...ids.values()],
    bounds: isOne ? needed.slice(0, BOUNDS_MAX) : [],
  };
}

/** The same for filters on rows of one asset each. */
function wantedRows(filter: LedgerFilter, ids: ReadonlyMap<string, number>): HoldingFilter {
  const needed = neededTests(filter).filter((test) => test.kind === "balance");
  const named = new Set(needed.flatMap(({ asset }) => asset ?? []));
  return {
    assets: named.size === 0 ? undefined : [...named].flatMap((name) => ids.get(name) ?? []),
    bounds: needed.slice(0, BOUNDS_MAX),
  };
}

/** The tests that every match must pass. */
function neededTests(filter: LedgerFilter): FilterTest[] {
  switch (filter.kind) {
    case "any":
    case "not":
      return [];
    case "all":
      return filter.filters.flatMap(neededTests);
    default:
      return [filter];
  }
}

/** The ids of assets by name. An asset that was never moved has none. */
function assetIds(sql: Sql, tests: readonly BalanceTest[]): ReadonlyMap<string, number> {
  const names = [...new Set(tests.flatMap(({ asset }) => asset ?? []))];
  if (names.length === 0) return new Map();
  const rows = sql.all<{ id: number; name: string }>(
    "SELECT id, name FROM asset WHERE name IN (SELECT value FROM json_each(?))",
    stringifyJson(names),
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}
