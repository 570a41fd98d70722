import type { AccountScanRow } from "./account-filter.ts";
import { type AccountPath, pathsOf, type SortedRange } from "./account-paths.ts";
import type { Condition, ExactPattern } from "./account-sift.ts";
import {
  type AccountOrder,
  type AccountWalk,
  idsBetween,
  type Sifted,
  walkOf,
} from "./account-walks.ts";
import type { WalkedFields } from "./scan-reader.ts";
import { canSkip, siftedAccounts, SkipScan } from "./skip-scan.ts";
import type { AccountSource } from "#ledger-engine/read/scan/summed-balances.ts";
import { type AddressGaps, gapsOf } from "#ledger-engine/rules/filters/address-gaps.ts";
import type { LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { METADATA_SCOPES, metadataHash } from "#ledger-engine/storage/metadata-index.ts";
import { stringifyJson } from "#platform/json.ts";
import { first, type Sql, type SqlValue } from "#platform/sql/sql.ts";

/** Selects accounts, and the fields that are read of them. */
export interface AccountScan extends AccountOrder, WalkedFields {
  readonly filter: LedgerFilter | undefined;
  /** The ranges of addresses to scan; undefined for all addresses. */
  readonly within?: readonly SortedRange[];
  /** Ranges of addresses that contain exactly the matches, if known. They are walked in order. */
  readonly exact?: readonly SortedRange[] | undefined;
  /** The number of rows that may be enough; undefined for all rows. */
  readonly firstRows: number | undefined;
  /** The most rows that are read at a time. */
  readonly rowsMax: number;
  /** Whether accounts may match by metadata that they had in the past. */
  readonly isPast: boolean;
  /** Makes a condition that every match meets. It is called only for long walks. */
  readonly sift: () => Condition | undefined;
}

/** A step of a scan: the number of accounts that it has passed, the last of them, and the rows that may match. */
export interface ScanStep {
  readonly passed: number;
  readonly last: AccountScanRow;
  readonly rows: AccountScanRow[];
}

/** The scan walks this many times the first rows before it looks for another path. */
const WALK_FACTOR = 4;
/** The most ids of a path, because they are passed as one parameter. */
const IDS_MAX = 100_000;
/** If all rows are asked for, a path with at most this many ids is preferred to a walk. */
const IDS_WANTED = 20_000;
/** The most ranges of addresses that are walked. Each takes a statement. */
export const RANGES_WALKED_MAX = 8;
/** The most times that SQL sorts a list of ids to get the next rows. A longer list is sorted once, before the walk. */
const SORTINGS_MAX = 4;
/** The largest share of rows that may meet a condition for it to be worth its time. */
const SIFTED_MAX = 0.5;
/** The number of accounts of ranges that are counted at first, and at most. */
const COUNTED_FIRST = 16;
const COUNTED_MAX = 65_536;
/** A skip scan tests this many accounts in the time in which a path lists one. */
const TESTED_FACTOR = 8;
/** The most paths that are tried for one filter. */
const PATHS_MAX = 8;

/** Finds the accounts that a filter may match. */
export class AccountAccess {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Yields, in order, all accounts that may match, and perhaps others; it reads on only as far as its caller does. It
   * runs two plans by turns, with budgets that grow by the factor 4 (a doubling strategy), so that the work is a small
   * multiple of the work of the better plan:
   *
   *     walk the order, within the ranges of the filter      budget 4n │      16n │           64n │ …
   *     list the ids of another path                               ≤ 4n?     ≤ 16n?          ≤ 64n?
   *                                                                  └── yes: continue with these accounts only
   *
   * After the first rows, SQL leaves out rows that cannot match.
   */
  *scan(scan: AccountScan): Generator<ScanStep> {
    const paths = pathsOfScan(scan);
    const own = paths.find((path) => isInOrder(path, scan));
    const { fields, held, isPartial } = scan;
    const walk = walkOf(this.#sql, scan, { fields, held, isPartial, path: own });
    const others = paths.filter((path) => path !== own || isScattered(path)).slice(0, PATHS_MAX);
    const isEager = scan.firstRows === undefined || (own !== undefined && isScattered(own));
    const { rowsMax } = scan;
    const gaps = scan.exact === undefined ? gapsOf(scan.filter) : undefined;
    const step = stepOf(walk, { makeCondition: scan.sift, gaps });
    let size = Math.min(scan.firstRows ?? rowsMax, rowsMax);
    let budget = isEager ? 0 : size * WALK_FACTOR;
    for (let isSifted = isEager; ; isSifted = true) {
      for (let left = budget; left > 0; size = Math.min(2 * size, rowsMax)) {
        const { rows, passed, last, isEnd } = step(size, isSifted);
        if (last !== undefined) yield { rows, passed, last };
        if (isEnd) return;
        left -= passed;
      }
      const countMax = budget === 0 ? IDS_WANTED : Math.min(budget, IDS_MAX);
      const skipped =
        walk.skip === undefined ? this.#idsBySkipping(scan, gaps, countMax) : undefined;
      const ids = skipped ?? this.#idsOf(others, { countMax, isPast: scan.isPast });
      if (ids !== undefined) {
        yield* pick({ walk, ids, size, rowsMax });
        return;
      }
      budget = isEager || budget >= IDS_MAX ? Number.POSITIVE_INFINITY : 4 * budget;
    }
  }

  /** The accounts of ranges of addresses, in parts of at most `size` accounts. */
  *stretches(ranges: readonly SortedRange[], size: number): Generator<AccountSource> {
    for (const { from, below } of stretchesOf(this.#sql, ranges, size)) {
      yield {
        table: "(SELECT id FROM account WHERE address >= ?1 AND address < ?2)",
        bindings: [from, below],
      };
    }
  }

  /** The accounts of a pattern, in parts for which SQL tests at most `size` accounts. */
  *patternStretches(
    { ranges, glob, colons }: ExactPattern,
    size: number,
  ): Generator<AccountSource> {
    for (const { from, below } of stretchesOf(this.#sql, ranges, size)) {
      yield { table: OF_PATTERN, bindings: [from, stringifyJson([below, glob, colons])] };
    }
  }

  /**
   * Whether ranges have at most half as many accounts as other ranges. Both are counted up to limits that grow, so that the
   * work is a small multiple of the smaller number.
   */
  areFew(ranges: readonly SortedRange[], others: readonly SortedRange[]): boolean {
    for (let size = COUNTED_FIRST; size <= COUNTED_MAX; size *= WALK_FACTOR) {
      const count = this.#count(ranges, size + 1);
      if (count <= size) return this.#count(others, 2 * count) === 2 * count;
      if (this.#count(others, size + 1) <= size) return false;
    }
    return false;
  }

  /** The number of accounts in ranges, at most `max`. */
  #count(ranges: readonly SortedRange[], max: number): number {
    const list = stringifyJson(ranges.map(toPair));
    return first(this.#sql.all<{ count: number }>(COUNT_BY_ADDRESS, list, max)).count;
  }

  /** Whether some path other than by address gives at most `countMax` accounts. */
  isWithin(filter: LedgerFilter | undefined, search: Search): boolean {
    const paths = pathsOf(filter).filter(({ kind }) => kind !== "addresses");
    return this.#idsOf(paths.slice(0, PATHS_MAX), search) !== undefined;
  }

  /**
   * The ids that a skip scan by address finds; undefined if it has no gaps to jump over, or if it finds more than `countMax` ids or tests
   * more accounts than take the time of as many ids.
   */
  #idsBySkipping(
    { filter, within, sift }: AccountScan,
    gaps: AddressGaps | undefined,
    countMax: number,
  ): number[] | undefined {
    const condition = gaps === undefined ? undefined : sift();
    if (condition === undefined) return undefined;
    const path = pathsOf(filter).find(({ kind }) => kind === "addresses");
    const ranges = within ?? (path?.kind === "addresses" ? path.ranges : undefined);
    const ids: number[] = [];
    let testable = countMax * TESTED_FACTOR;
    for (const { rows, passed } of siftedAccounts(this.#sql, { ranges, condition, gaps })) {
      for (const { id } of rows) ids.push(id);
      testable -= passed;
      if (testable < 0 || ids.length > countMax) return undefined;
    }
    return ids;
  }

  /** The ids of the path that gives the fewest; undefined if every path gives more than `countMax`. */
  #idsOf(paths: readonly AccountPath[], { countMax, isPast }: Search): number[] | undefined {
    let best: number[] | undefined;
    for (const path of paths) {
      const search = { countMax: best === undefined ? countMax : best.length, isPast };
      best = this.#idsOfPath(path, search) ?? best;
    }
    return best;
  }

  #idsOfPath(path: AccountPath, search: Search): number[] | undefined {
    if (path.kind === "union") return this.#idsOfAll(path.parts, search);
    const { from, bindings } = this.#sourceOf(path, search);
    const rows = this.#sql.all<{ id: number }>(
      `SELECT DISTINCT ${from} LIMIT ? + 0`,
      ...bindings,
      search.countMax + 1,
    );
    return rows.length > search.countMax ? undefined : rows.map(({ id }) => id);
  }

  #idsOfAll(parts: readonly AccountPath[], { countMax, isPast }: Search): number[] | undefined {
    const ids = new Set<number>();
    let left = countMax;
    for (const part of parts) {
      const found = this.#idsOfPath(part, { countMax: left, isPast });
      if (found === undefined) return undefined;
      left -= found.length;
      for (const id of found) ids.add(id);
    }
    return [...ids];
  }

  /** The rest of the statement after `SELECT DISTINCT` that gives the ids of a path. */
  #sourceOf(path: Exclude<AccountPath, { kind: "union" }>, { isPast }: Search): Source {
    switch (path.kind) {
      case "addresses":
        return { from: BY_ADDRESS, bindings: [stringifyJson(path.ranges.map(toPair))] };
      case "dates": {
        if (path.column === "insertion_date") {
          const { from, to } = idsBetween(this.#sql, path);
          return { from: "id FROM account WHERE id BETWEEN ? AND ?", bindings: [from, to] };
        }
        const bounds = [path.from, path.to].map((bound) => bound?.toString() ?? null);
        return { from: byDate(path.column), bindings: bounds };
      }
      case "metadata": {
        const scopes = isPast
          ? [METADATA_SCOPES.ACCOUNT, METADATA_SCOPES.ACCOUNT_PAST]
          : [METADATA_SCOPES.ACCOUNT];
        const place = [`[${scopes.join(",")}]`, metadataHash(path.name)];
        return path.values === undefined
          ? { from: BY_KEY, bindings: place }
          : { from: BY_PAIR, bindings: [`[${path.values.map(metadataHash).join(",")}]`, ...place] };
      }
    }
  }
}

export interface Search {
  /** The most ids that the caller can use. */
  readonly countMax: number;
  readonly isPast: boolean;
}

interface Source {
  readonly from: string;
  readonly bindings: readonly SqlValue[];
}

interface Pick {
  readonly walk: AccountWalk;
  readonly ids: readonly number[];
  readonly size: number;
  readonly rowsMax: number;
}

/**
 * Makes the function that continues a walk by a number of accounts. If `isSifted`, SQL tests a condition that every match
 * meets, until a step shows that the condition leaves out too few rows. A walk by address then also jumps over gaps.
 */
function stepOf(
  walk: AccountWalk,
  {
    makeCondition,
    gaps,
  }: { makeCondition: () => Condition | undefined; gaps: AddressGaps | undefined },
): (size: number, isSifted: boolean) => Sifted {
  const skipScan = gaps && canSkip(walk) ? new SkipScan(walk, gaps) : undefined;
  let isMade = false;
  let sift: Condition | undefined;
  return (size, isSifted) => {
    if (isSifted && !isMade) {
      isMade = true;
      sift = walk.sift === undefined ? undefined : makeCondition();
    }
    if (sift !== undefined && skipScan !== undefined) return skipScan.next(size, sift);
    if (sift !== undefined && walk.sift !== undefined) {
      const sifted = walk.sift(size, sift);
      if (sifted.rows.length > SIFTED_MAX * size) sift = undefined;
      return sifted;
    }
    const rows = walk.next(size);
    return { rows, passed: rows.length, last: rows.at(-1), isEnd: rows.length < size };
  };
}

/** Continues a walk with only the accounts of a list. */
function* pick({ walk, ids, size: firstSize, rowsMax }: Pick): Generator<ScanStep> {
  if (ids.length > SORTINGS_MAX * rowsMax) {
    yield* pickSorted({ walk, ids, size: rowsMax, rowsMax });
    return;
  }
  const list = `[${ids.join(",")}]`;
  for (let size = firstSize; ids.length > 0; size = Math.min(4 * size, rowsMax)) {
    const rows = walk.next(size, list);
    const last = rows.at(-1);
    if (last !== undefined) yield { rows, passed: rows.length, last };
    if (rows.length < size) return;
  }
}

/** `pick` for a long list, which is sorted once instead of once for each step. */
function* pickSorted({ walk, ids, size }: Pick): Generator<ScanStep> {
  const sorted = walk.sorted(`[${ids.join(",")}]`);
  for (let from = 0; from < sorted.length; from += size) {
    const part = sorted.slice(from, from + size);
    const rows = walk.next(part.length, `[${part.join(",")}]`);
    const last = rows.at(-1);
    if (last !== undefined) yield { rows, passed: rows.length, last };
  }
}

/**
 * Cuts ranges of addresses into parts of at most `size` accounts. A part is found when its turn comes, without reading the
 * accounts in it.
 */
function* stretchesOf(
  sql: Sql,
  ranges: readonly SortedRange[],
  size: number,
): Generator<SortedRange> {
  for (const { from, below } of ranges) {
    for (let start = from; ;) {
      const [next] = sql.all<{ address: string }>(NEXT_STRETCH, start, below, size);
      if (next === undefined) {
        yield { from: start, below };
        break;
      }
      yield { from: start, below: next.address };
      start = next.address;
    }
  }
}

const OF_PATTERN = `(SELECT id FROM account WHERE address >= ?1 AND address < ?2 ->> 0 AND +address GLOB ?2 ->> 1
  AND length(address) - length(replace(address, ':', '')) = ?2 ->> 2)`;

const NEXT_STRETCH = `SELECT address FROM account WHERE address >= ? AND address < ?
  ORDER BY address LIMIT 1 OFFSET ? + 0`;

function pathsOfScan({ exact, within, filter }: AccountScan): readonly AccountPath[] {
  if (exact !== undefined) return [toPath(exact)];
  return within === undefined ? pathsOf(filter) : [toPath(within), ...pathsOf(filter)];
}

/** Whether a path is a range of the order of the scan, so that it can be walked. */
const isInOrder = (path: AccountPath, { column }: AccountOrder): boolean =>
  path.kind === "dates"
    ? path.column === column
    : path.kind === "addresses" && column === "address";

const toPath = (ranges: readonly SortedRange[]): AccountPath => ({ kind: "addresses", ranges });

const isScattered = (path: AccountPath): boolean =>
  path.kind === "addresses" && path.ranges.length > RANGES_WALKED_MAX;

const toPair = ({ from, below }: { from: string; below: string }) => [from, below];

// CROSS JOIN keeps the order of the tables, so that each range is read from the index.
const BY_ADDRESS = `account.id FROM json_each(?) AS ranges CROSS JOIN account
  ON account.address >= ranges.value ->> 0 AND account.address < ranges.value ->> 1`;

const COUNT_BY_ADDRESS = `SELECT count(*) AS count FROM (SELECT ${BY_ADDRESS} LIMIT ? + 0)`;

const byDate = (column: string): string => `id FROM account
  WHERE ${column} >= CAST(coalesce(?, -9e18) AS INTEGER) AND ${column} <= CAST(coalesce(?, 9e18) AS INTEGER)`;

const BY_KEY = `metadata_index.target AS id FROM json_each(?) AS scopes CROSS JOIN metadata_index
  ON metadata_index.scope = scopes.value AND metadata_index.key = ?`;

const BY_PAIR = `metadata_index.target AS id FROM json_each(?) AS hashes CROSS JOIN json_each(?) AS scopes CROSS JOIN metadata_index
  ON metadata_index.scope = scopes.value AND metadata_index.key = ? AND metadata_index.value = hashes.value`;
