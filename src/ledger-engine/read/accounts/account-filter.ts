import type { HoldingFilter } from "#ledger-engine/read/scan/account-volumes.ts";
import { addressMatcher, exactAddress } from "#ledger-engine/rules/filters/address-pattern.ts";
import {
  compileFilter,
  type FilterTest,
  isRelated,
  type LedgerFilter,
  testsOf,
  type Verdict,
} from "#ledger-engine/rules/filters/filters.ts";
import { likeMatcher } from "#ledger-engine/rules/filters/like.ts";
import type { Metadata, Volumes } from "#ledger-engine/rules/types.ts";
import type { MetadataHistory } from "#ledger-engine/storage/metadata-history.ts";
import { parseMetadata } from "#ledger-engine/storage/write-batch.ts";
import { quoteJson, stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** What of an account's row a filter looks at, besides its id. */
export type AccountField = "address" | "first" | "inserted" | "updated" | "metadata";

/** An account as far as it was read. Dates are microseconds as text. */
export type AccountScanRow = {
  readonly id: number;
  readonly address?: string;
  readonly first?: string;
  readonly inserted?: string;
  readonly updated?: string;
  readonly metadata?: string | null;
};

/** The volumes of an asset, by its id, that a row has. */
export type AssetVolumes = Volumes & { readonly asset: number };

/** An account that may match. */
export interface Candidate {
  readonly row: AccountScanRow;
  /** As of the point in time, where that is not the present. */
  readonly past: Metadata | undefined;
}

/** Accounts that are looked at together: the metadata of each may be large. */
const ROWS_MAX = 5000;
const METADATA_ROWS_MAX = 500;
/** Most conditions on balances that one statement makes; the others are left to the filter. */
const BOUNDS_MAX = 8;

export interface AccountFilterSources {
  readonly sql: Sql;
  readonly history: MetadataHistory;
  /** The point in time that metadata is of; undefined where the present counts, or where no history is kept. */
  readonly metadataAt: Timestamp | undefined;
}

/**
 * Tells which accounts match a filter. What takes reads of its own is left for those that the rest does not refuse: first
 * metadata of the past, then balances.
 */
export class AccountFilter {
  readonly fields: readonly AccountField[];
  /** How many accounts should be looked at together. */
  readonly rowsMax: number;
  /** What must be known of balances; undefined where nothing must. */
  readonly balances: HoldingFilter | undefined;
  /** The rows of volumes that may match by themselves. */
  readonly rows: HoldingFilter;
  readonly #sources: AccountFilterSources;
  readonly #asksPast: boolean;
  readonly #isMatch: (subject: Subject) => boolean;
  readonly #cannotMatch: (subject: Subject) => boolean;

  constructor(filter: LedgerFilter | undefined, sources: AccountFilterSources) {
    const tests = filter === undefined ? [] : [...testsOf(filter)];
    this.#sources = sources;
    this.rowsMax = tests.some(isAboutMetadata) ? METADATA_ROWS_MAX : ROWS_MAX;
    this.#asksPast = sources.metadataAt !== undefined && tests.some(isAboutMetadata);
    const balances = tests.filter((test) => "asset" in test);
    const ids = assetIds(sources.sql, balances);
    this.balances = balances.length === 0 ? undefined : wantedBalances(filter, balances, ids);
    this.rows = wantedRows(filter, ids);
    this.fields = [...new Set(tests.flatMap((test) => fieldOf(test, this.#asksPast)))];
    const compile = (test: FilterTest) => compileTest(test, ids);
    this.#isMatch = filter === undefined ? () => true : compileFilter(filter, compile);
    this.#cannotMatch =
      filter === undefined ? () => false : compileFilter({ kind: "not", filter }, compile);
  }

  /** The accounts that match, whatever their balances, or some of them. */
  candidates(rows: readonly AccountScanRow[]): Candidate[] {
    const unknown = { metadata: undefined, balances: undefined };
    const possible = rows.filter(
      (row) => !this.#cannotMatch({ row, ...unknown, isPast: this.#asksPast }),
    );
    if (!this.#asksPast) return possible.map((row) => ({ row, past: undefined }));
    const past = this.#pastOf(possible);
    return possible
      .map((row) => ({ row, past: past.get(row.id) ?? {} }))
      .filter((candidate) => !this.#cannotMatch(this.#subjectOf(candidate, undefined)));
  }

  /** Whether a candidate matches, given the volumes of all assets that are asked for, or of those of one row. */
  isMatch(candidate: Candidate, volumes: readonly AssetVolumes[]): boolean {
    return this.#isMatch(this.#subjectOf(candidate, volumes));
  }

  #subjectOf({ row, past }: Candidate, balances: Subject["balances"]): Subject {
    return { row, metadata: past, balances, isPast: this.#asksPast };
  }

  #pastOf(rows: readonly AccountScanRow[]): ReadonlyMap<number, Metadata> {
    const { history, metadataAt } = this.#sources;
    if (metadataAt === undefined) return new Map();
    const named = rows.map(({ id, address = "" }) => ({ id, address }));
    return history.accountsAt(named, metadataAt);
  }
}

/** What the tests are made on. */
interface Subject {
  readonly row: AccountScanRow;
  /** That of the past; undefined where it is not known, or where the row tells it. */
  readonly metadata: Metadata | undefined;
  /** Undefined where they are not known. */
  readonly balances: readonly AssetVolumes[] | undefined;
  /** Whether the metadata is that of the past. */
  readonly isPast: boolean;
}

type Judge = (subject: Subject) => Verdict;

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
    // Most rows need no parser: a text that does not have the key in quotes has no such member.
    return text.includes(quoted) && judge(parseMetadata(text));
  };
}

/** Of an asset that the account has not moved, and so of one that nobody has, the balance is not known. */
function balanceJudge(
  { asset: name, operator, value }: Extract<FilterTest, { kind: "balance" }>,
  assets: ReadonlyMap<string, number>,
): Judge {
  const asset = name === undefined ? undefined : assets.get(name);
  return ({ balances }) => {
    const held = balances?.filter((volumes) => name === undefined || volumes.asset === asset);
    if (held === undefined || held.length === 0) return undefined;
    return held.some(({ input, output }) => isRelated(input - output, operator, value));
  };
}

type BalanceTest = Extract<FilterTest, { readonly asset: string | undefined }>;

/** What tells whether an account matches: balances that fail a test without which none does are not needed. */
function wantedBalances(
  filter: LedgerFilter | undefined,
  tests: readonly BalanceTest[],
  ids: ReadonlyMap<string, number>,
): HoldingFilter {
  const needed = neededTests(filter).filter((test) => test.kind === "balance");
  const names = new Set(tests.map(({ asset }) => asset));
  // Of several assets, one may pass one test, and another one another.
  const isOne = names.size === 1 && (tests.length === 1 || !names.has(undefined));
  return {
    assets: names.has(undefined) ? undefined : [...ids.values()],
    bounds: isOne ? needed.slice(0, BOUNDS_MAX) : [],
  };
}

/** The same for rows of one asset each. */
function wantedRows(
  filter: LedgerFilter | undefined,
  ids: ReadonlyMap<string, number>,
): HoldingFilter {
  const needed = neededTests(filter).filter((test) => test.kind === "balance");
  const named = new Set(needed.flatMap(({ asset }) => asset ?? []));
  return {
    assets: named.size === 0 ? undefined : [...named].flatMap((name) => ids.get(name) ?? []),
    bounds: needed.slice(0, BOUNDS_MAX),
  };
}

/** The tests that every match passes. */
function neededTests(filter: LedgerFilter | undefined): FilterTest[] {
  if (filter === undefined) return [];
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

/** The ids of assets by name, without those that nothing has moved. */
function assetIds(sql: Sql, tests: readonly BalanceTest[]): ReadonlyMap<string, number> {
  const names = [...new Set(tests.flatMap(({ asset }) => asset ?? []))];
  if (names.length === 0) return new Map();
  const rows = sql.all<{ id: number; name: string }>(
    "SELECT id, name FROM asset WHERE name IN (SELECT value FROM json_each(?))",
    stringifyJson(names),
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}
