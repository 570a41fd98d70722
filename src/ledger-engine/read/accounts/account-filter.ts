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

/** The fields of an account's row, besides its id, that filters test. */
export const ACCOUNT_FIELDS = ["address", "first", "inserted", "updated", "metadata"] as const;
export type AccountField = (typeof ACCOUNT_FIELDS)[number];

/** An account with the fields that were read. Dates are microseconds since 1970. */
export type AccountScanRow = Readonly<{ id: number } & Partial<Omit<AccountSqlRow, "id">>> & {
  /** The current volumes, if they were read; see `HELD_COLUMNS`. */
  readonly held?: string;
};

/** The volumes of an account in one asset, which is given by its id. */
export type AssetVolumes = Volumes & { readonly asset: number };

export interface Candidate {
  readonly row: AccountScanRow;
  /** The metadata as of the point in time; undefined if the row's own metadata counts. */
  readonly past: Metadata | undefined;
}

/** The most accounts that are tested together: fewer if the filter reads metadata, which may be large. */
const ROWS_MAX = 5000;
const METADATA_ROWS_MAX = 500;
/** The most conditions on balances that one statement tests. The filter tests the others. */
const BOUNDS_MAX = 8;

export interface AccountFilterSources {
  readonly sql: Sql;
  readonly history: MetadataHistory;
  /** The point in time of metadata; undefined for the present, and for ledgers without a history of metadata. */
  readonly metadataAt: Timestamp | undefined;
}

/** Decides which accounts match, from their rows and, if needed, their balances. */
export interface AccountJudge {
  /** The fields that the tests need. */
  readonly fields: readonly AccountField[];
  /** The most accounts that should be tested together. */
  readonly rowsMax: number;
  /** The balances that must be read to decide; undefined if none are needed. */
  readonly balances: HoldingFilter | undefined;
  /** Selects the rows of volumes that may match on their own. */
  readonly rows: HoldingFilter;
  /** The accounts that match if their balances do. Balances are read of these accounts only. */
  candidates(rows: readonly AccountScanRow[]): Candidate[];
  /** Whether a candidate matches, given its volumes of all assets of `balances`. */
  isMatch(candidate: Candidate, volumes: readonly AssetVolumes[]): boolean;
  /** Whether a candidate matches as if the row were its only volumes. */
  isRowMatch(candidate: Candidate, row: AssetVolumes): boolean;
}

/** Judges without tests: for lists without a filter, and for walks of exactly the accounts that match. */
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

/** The subject of the tests: an account, or one row of its volumes. */
interface Subject {
  readonly row: AccountScanRow;
  /** The past metadata; undefined if it was not read, or if the row's own metadata counts. */
  readonly metadata: Metadata | undefined;
  /** The volumes of the account; undefined if they were not read. */
  readonly balances: readonly AssetVolumes[] | undefined;
  /** Whether one row of volumes is judged, as if the account had no other asset. */
  readonly isOneRow: boolean;
  /** Whether past metadata counts instead of the metadata of the row. */
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
      // The history of metadata finds accounts by their addresses.
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
    // A text that does not contain the quoted key cannot have the member, so that most rows need not be parsed.
    return text.includes(quoted) && judge(parseMetadata(text));
  };
}

/**
 * Tests a balance. The balance of an asset that the account has never moved is unknown. A row of volumes of another asset fails the test,
 * as in the reference server, so that it passes the negation.
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

/** The balances that decide whether an account matches, without holdings that fail a test which every match must pass. */
function wantedBalances(
  filter: LedgerFilter,
  tests: readonly BalanceTest[],
  ids: ReadonlyMap<string, number>,
): HoldingFilter {
  const needed = neededTests(filter).filter((test) => test.kind === "balance");
  const names = new Set(tests.map(({ asset }) => asset));
  // If the filter tests several assets, a holding may fail the test of another asset although the account matches.
  const isOne = names.size === 1 && (tests.length === 1 || !names.has(undefined));
  return {
    assets: names.has(undefined) ? undefined : [...ids.values()],
    bounds: isOne ? needed.slice(0, BOUNDS_MAX) : [],
  };
}

/** The rows of volumes that may match on their own. */
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

/** The ids of assets by name. An asset that was never moved has no id, and is left out. */
function assetIds(sql: Sql, tests: readonly BalanceTest[]): ReadonlyMap<string, number> {
  const names = [...new Set(tests.flatMap(({ asset }) => asset ?? []))];
  if (names.length === 0) return new Map();
  const rows = sql.all<{ id: number; name: string }>(
    "SELECT id, name FROM asset WHERE name IN (SELECT value FROM json_each(?))",
    stringifyJson(names),
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}
