import type { AccountField, AccountScanRow } from "./account-filter.ts";
import { type AccountPath, pathsOf, type SortedRange } from "./account-paths.ts";
import { type AccountOrder, type AccountWalk, idsBetween, walkOf } from "./account-walks.ts";
import type { LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { METADATA_SCOPES, metadataHash } from "#ledger-engine/storage/metadata-index.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";

/** Which accounts are read, and what of them. */
export interface AccountScan extends AccountOrder {
  readonly filter: LedgerFilter | undefined;
  readonly fields: readonly AccountField[];
  /** Ranges of addresses that are looked at; undefined for all. */
  readonly within?: readonly SortedRange[];
  /** How many rows may be enough; undefined where all are wanted. */
  readonly firstRows: number | undefined;
  /** Most rows that are read at a time. */
  readonly rowsMax: number;
  /** Whether accounts that had some metadata, and have it no longer, may match. */
  readonly isPast: boolean;
}

/** So many times the first rows are walked before another path is looked for. */
const WALK_FACTOR = 4;
/** Most ids that a path may give: they are one parameter. */
const IDS_MAX = 100_000;
/** Where all rows are wanted, a path with so many is taken before a walk. */
const IDS_WANTED = 20_000;
/** Most ranges of addresses that are walked, with a statement each. */
const RANGES_WALKED_MAX = 8;
/** Most paths that are tried for one filter. */
const PATHS_MAX = 8;

/** Finds the accounts that a filter may match. */
export class AccountAccess {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Gives all accounts that may match, and perhaps others, in order, as far as they are taken. It walks in the order,
   * within what the filter leaves of it. After some rows it looks whether another path has no more accounts than these
   * were, and takes it if so; else it walks four times as far. So it reads no more than a few times what the better of
   * both takes.
   */
  *scan(scan: AccountScan): Generator<AccountScanRow[]> {
    const within = scan.within === undefined ? [] : [toPath(scan.within)];
    const paths = [...within, ...pathsOf(scan.filter)];
    const own = paths.find((path) => isInOrder(path, scan));
    const walk = walkOf(this.#sql, scan, { fields: scan.fields, path: own });
    const others = paths.filter((path) => path !== own || isScattered(path)).slice(0, PATHS_MAX);
    const isEager = scan.firstRows === undefined || (own !== undefined && isScattered(own));
    const { rowsMax } = scan;
    let size = Math.min(scan.firstRows ?? rowsMax, rowsMax);
    let budget = isEager ? 0 : size * WALK_FACTOR;
    for (;;) {
      for (let left = budget; left > 0; left -= size, size = Math.min(2 * size, rowsMax)) {
        const rows = walk.next(size);
        if (rows.length > 0) yield rows;
        if (rows.length < size) return;
      }
      const countMax = budget === 0 ? IDS_WANTED : Math.min(budget, IDS_MAX);
      const ids = this.#idsOf(others, { countMax, isPast: scan.isPast });
      if (ids !== undefined) {
        yield* pick({ walk, ids, size, rowsMax });
        return;
      }
      budget = isEager || budget >= IDS_MAX ? Number.POSITIVE_INFINITY : 4 * budget;
    }
  }

  /** Whether a path, other than that of addresses, gives no more accounts than a number. */
  isWithin(filter: LedgerFilter | undefined, search: Search): boolean {
    const paths = pathsOf(filter).filter(({ kind }) => kind !== "addresses");
    return this.#idsOf(paths.slice(0, PATHS_MAX), search) !== undefined;
  }

  /** The ids that the best of some paths gives; undefined where each gives more than are of use. */
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
      `SELECT DISTINCT ${from} LIMIT ?`,
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

  /** What follows `SELECT DISTINCT` to give the ids of a path. */
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
  /** Most ids that are of use. */
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

/** Goes on with the accounts of a list only. */
function* pick({ walk, ids, size: firstSize, rowsMax }: Pick): Generator<AccountScanRow[]> {
  const list = `[${ids.join(",")}]`;
  for (let size = firstSize; ids.length > 0; size = Math.min(4 * size, rowsMax)) {
    const rows = walk.next(size, list);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
  }
}

/** Whether a path is a part of an order, so that it can be walked. */
const isInOrder = (path: AccountPath, { column }: AccountOrder): boolean =>
  path.kind === "dates"
    ? path.column === column
    : path.kind === "addresses" && column === "address";

const toPath = (ranges: readonly SortedRange[]): AccountPath => ({ kind: "addresses", ranges });

const isScattered = (path: AccountPath): boolean =>
  path.kind === "addresses" && path.ranges.length > RANGES_WALKED_MAX;

const toPair = ({ from, below }: { from: string; below: string }) => [from, below];

// CROSS JOIN keeps the order of the tables, so that each range is one of the index.
const BY_ADDRESS = `account.id FROM json_each(?) AS span CROSS JOIN account
  ON account.address >= span.value ->> 0 AND account.address < span.value ->> 1`;

const byDate = (column: string): string => `id FROM account
  WHERE ${column} >= CAST(coalesce(?, -9e18) AS INTEGER) AND ${column} <= CAST(coalesce(?, 9e18) AS INTEGER)`;

const BY_KEY = `metadata_index.target AS id FROM json_each(?) AS scopes CROSS JOIN metadata_index
  ON metadata_index.scope = scopes.value AND metadata_index.key = ?`;

const BY_PAIR = `metadata_index.target AS id FROM json_each(?) AS hashes CROSS JOIN json_each(?) AS scopes CROSS JOIN metadata_index
  ON metadata_index.scope = scopes.value AND metadata_index.key = ? AND metadata_index.value = hashes.value`;
