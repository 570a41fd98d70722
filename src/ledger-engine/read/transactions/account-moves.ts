import { MovesByRole, ROLES, type Side } from "./moves-by-role.ts";
import {
  type AccountSet,
  type IdQuery,
  idQuery,
} from "#ledger-engine/read/accounts/account-sets.ts";
import type { Pair } from "#ledger-engine/read/scan/account-volumes.ts";
import {
  behind,
  compareIds,
  distinct,
  type IdRange,
  type IdScan,
  type IndexRange,
  IndexScan,
  isEmpty,
  type ScanOptions,
} from "#ledger-engine/read/scan/id-scan.ts";
import { mergeStreams } from "#ledger-engine/read/scan/merge.ts";
import {
  compareSortKeys,
  type DateScanOptions,
  nextSortKey,
  type SortKey,
} from "#ledger-engine/read/scan/sort-key.ts";
import type { Order } from "#platform/paging/query.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The most pairs of account and asset that are merged at a time if there are many accounts. */
const PAIRS_MAX = 20_000;
/** The cost of one of many accounts, as a number of index entries. */
const ACCOUNT_COST = 8;
/** The most accounts that are counted to estimate the cost. */
const COSTED_ACCOUNTS_MAX = 10_000;
/** The number of accounts whose moves are read at once, up to `SCANNED_MAX` moves. */
const SCANNED_ACCOUNTS = 500;
const SCANNED_MAX = 20_000;
/**
 * The most assets of a ledger for which moves of every asset are looked up. If there are more, the account's own rows
 * decide which assets it has.
 */
const CROSSED_ASSETS_MAX = 4;
/** The id of the only asset. Ids of assets begin at 1. */
const ONLY_ASSET = 1;

/** The transactions in which some accounts are source or destination, or on one of these sides. */
export class MoveScan implements IdScan {
  readonly #sql: Sql;
  readonly #accounts: AccountSet;
  readonly #side: Side | undefined;
  readonly #assets: number;

  constructor({ sql, assets }: MoveSources, accounts: AccountSet, side: Side | undefined) {
    this.#sql = sql;
    this.#assets = assets;
    this.#accounts = accounts;
    this.#side = side;
  }

  /** A scan of many accounts is not in order: the next moves are found only by looking at all accounts. */
  get isOrdered(): boolean {
    return this.#accounts.knownIds !== undefined;
  }

  /** The moves of one account in a ledger with one asset are one range. */
  get orderedRange(): IndexRange | undefined {
    const [account, ...others] = this.#accounts.knownIds ?? [];
    if (account === undefined || others.length > 0) return undefined;
    const isWhole = this.#assets === 1 && this.#side === undefined;
    return isWhole ? movesOf({ account, asset: ONLY_ASSET }) : undefined;
  }

  get knownAccounts(): readonly number[] | undefined {
    return this.#accounts.knownIds;
  }

  iterate(options: ScanOptions): Generator<number> {
    const accounts = this.#accounts.knownIds;
    return accounts === undefined
      ? this.#iterateMany(options)
      : this.#iterateKnown(accounts, options);
  }

  *iterateUnordered(range: IdRange): Generator<number> {
    const options = { range, order: "asc", batch: SCANNED_MAX } as const;
    for (const page of this.#accounts.pages()) {
      for (let from = 0; from < page.length; from += SCANNED_ACCOUNTS) {
        const accounts = page.slice(from, from + SCANNED_ACCOUNTS);
        const rows = this.#sql.all<{ tx: number }>(
          `SELECT move.tx FROM json_each(?1) AS wanted CROSS JOIN move ON move.account = wanted.value
            WHERE move.tx >= ?2 AND move.tx <= ?3 AND ${HAS_ROLE} LIMIT ?5 + 0`,
          toJson(accounts),
          range.from,
          range.to,
          this.#role ?? null,
          SCANNED_MAX + 1,
        );
        // Some account has very many moves, which are read in order, in steps.
        if (rows.length > SCANNED_MAX) yield* this.#iterateKnown(accounts, options);
        else for (const { tx } of rows) yield tx;
      }
    }
  }

  count(range: IdRange, max: number): number {
    const accounts = this.#accounts.knownIds;
    if (accounts === undefined) {
      return Math.min(max, ACCOUNT_COST * this.#accounts.count(Math.ceil(max / ACCOUNT_COST)));
    }
    const [counted] = this.#sql.all<{ count: number }>(
      `${HELD} SELECT count(*) AS count FROM (SELECT 1 ${FROM_HELD} LIMIT ?4 + 0)`,
      toJson(accounts),
      range.from,
      range.to,
      max,
    );
    return counted?.count ?? 0;
  }

  size(range: IdRange): number | undefined {
    const accounts = this.#accounts.knownIds;
    if (accounts === undefined) return undefined;
    const [counted] = this.#sql.all<{ count: number }>(
      `${HELD} SELECT count(DISTINCT move.tx) AS count ${FROM_HELD} AND ${HAS_ROLE}`,
      toJson(accounts),
      range.from,
      range.to,
      this.#role ?? null,
    );
    return counted?.count ?? 0;
  }

  materialized(): IdScan {
    return this;
  }

  cost(): number {
    return this.isOrdered ? 0 : this.#accounts.count(COSTED_ACCOUNTS_MAX);
  }

  /** Whether moves of every asset are looked up in each account. */
  get #isCrossed(): boolean {
    return this.#assets <= CROSSED_ASSETS_MAX;
  }

  get #role(): number | undefined {
    return this.#side === undefined ? undefined : ROLES[this.#side];
  }

  /**
   * Merges the moves of known accounts. The nearest move of each pair on any side is a hint for the nearest move on the
   * wanted side, which does not come before it.
   */
  #iterateKnown(accounts: readonly number[], options: ScanOptions): Generator<number> {
    const [account] = accounts;
    if (account !== undefined && accounts.length * this.#assets === 1) {
      return this.#iterate({ account, asset: ONLY_ASSET }, options);
    }
    const heads = this.#readHeads(idQuery(accounts), { ...options, role: undefined });
    return this.#merge(heads, options);
  }

  /** Merges the moves of many accounts, in parts: the nearest moves of all pairs decide which pairs can have the next ids. */
  *#iterateMany({ range, order, batch }: ScanOptions): Generator<number> {
    let rest = range;
    for (let most = batch; !isEmpty(rest); most = Math.min(most * 8, PAIRS_MAX)) {
      const options = { range: rest, order, batch };
      const heads = this.#nearestHeads(options, most);
      const last = heads.at(-1)?.head;
      if (last === undefined) return;
      const isCut = heads.length >= most;
      yield* this.#merge(heads, isCut ? { ...options, range: upTo(rest, order, last) } : options);
      if (!isCut) return;
      rest = behind(rest, order, last);
    }
  }

  /** The pairs with the nearest moves, at most `most` pairs. Pairs with the same nearest id are in no particular order. */
  #nearestHeads(options: ScanOptions, most: number): Head[] {
    const { order } = options;
    const compare = compareIds(order);
    let nearest: Head[] = [];
    let { range } = options;
    for (const query of this.#accounts.queries()) {
      const heads = this.#readHeads(query, { ...options, range, role: this.#role, most });
      nearest = [...nearest, ...heads].toSorted((a, b) => compare(a.head, b.head)).slice(0, most);
      const last = nearest.at(-1);
      if (last !== undefined && nearest.length === most) range = upTo(range, order, last.head);
    }
    return nearest;
  }

  /** The nearest move of each pair of the accounts that a query selects. */
  #readHeads({ select, bindings }: IdQuery, { range, order, role, most }: HeadOptions): Head[] {
    const rows = this.#sql.all<HeadSqlRow>(
      `${this.#isCrossed ? heldCrossed(select) : held(select)} ${selectHeads(order, role)}`,
      ...bindings,
      range.from,
      range.to,
      most ?? Number.MAX_SAFE_INTEGER,
    );
    return rows.flatMap(({ head, ...pair }) => (head === null ? [] : { ...pair, head }));
  }

  #merge(heads: readonly Head[], { range, order, batch }: ScanOptions): Generator<number> {
    const each = Math.ceil(batch / Math.max(1, heads.length)) + 1;
    const streams = heads.map(({ head, ...pair }) => ({
      hint: head,
      items: this.#iterate(pair, { range: startingAt(range, order, head), order, batch: each }),
    }));
    return distinct(mergeStreams(streams, compareIds(order)));
  }

  #iterate(pair: Pair, options: ScanOptions): Generator<number> {
    if (this.#side !== undefined) {
      return new MovesByRole(this.#sql, pair, this.#side).iterate(options);
    }
    return new IndexScan(this.#sql, movesOf(pair)).iterate(options);
  }
}

const movesOf = ({ account, asset }: Pair): IndexRange => ({
  from: "FROM move WHERE account = ? AND asset = ?",
  column: "tx",
  bindings: [account, asset],
  isOrdered: true,
});

interface MoveSources {
  readonly sql: Sql;
  /** The number of assets of the ledger. */
  readonly assets: number;
}

type PairSqlRow = { account: number; asset: number };
type HeadSqlRow = PairSqlRow & { head: number | null };

/** A pair with the id of its nearest move. */
interface Head extends Pair {
  readonly head: number;
}

interface HeadOptions extends ScanOptions {
  readonly role: number | undefined;
  readonly most?: number;
}

const upTo = ({ from, to }: IdRange, order: Order, id: number): IdRange =>
  order === "asc" ? { from, to: id } : { from: id, to };

const startingAt = ({ from, to }: IdRange, order: Order, id: number): IdRange =>
  order === "asc" ? { from: id, to } : { from, to: id };

const toJson = (ids: readonly number[]): string => `[${ids.join(",")}]`;

/** Lists the assets of accounts by a skip scan (loose index scan) of the primary key: from the highest id down, one seek for each. */
const held = (selectIds: string): string => `WITH RECURSIVE held (account, asset) AS (
    SELECT wanted.id, (SELECT max(asset) FROM move WHERE account = wanted.id) FROM (${selectIds}) AS wanted
    UNION ALL
    SELECT account, (SELECT max(asset) FROM move WHERE move.account = held.account AND move.asset < held.asset)
      FROM held WHERE asset IS NOT NULL
  )`;
/** Lists every account with every asset, even if the account has never moved it. */
const heldCrossed = (selectIds: string): string => `WITH held (account, asset) AS (
    SELECT wanted.id, asset.id FROM (${selectIds}) AS wanted CROSS JOIN asset
  )`;

const HELD = held("SELECT value AS id FROM json_each(?1)");

const FROM_HELD = `FROM held CROSS JOIN move ON move.account = held.account AND move.asset = held.asset
  AND move.tx >= ?2 AND move.tx <= ?3`;

const HAS_ROLE = "(?4 IS NULL OR move.role & 3 IN (2, ?4))";

/** Selects the nearest move of each pair of `held`; with a role, the nearest one with this role or on both sides. */
const selectHeads = (
  order: Order,
  role: number | undefined,
): string => `SELECT held.account, held.asset, (
    SELECT move.tx FROM move WHERE move.account = held.account AND move.asset = held.asset
      AND move.tx >= ? AND move.tx <= ? ${role === undefined ? "" : `AND move.role & 3 IN (2, ${role})`}
      ORDER BY move.tx ${order} LIMIT 1
  ) AS head FROM held ORDER BY head ${order} NULLS LAST LIMIT ? + 0`;

/** The transactions of accounts that have a date of their own, in the order of these dates. */
export function* datedMovesOf(
  sql: Sql,
  accounts: readonly number[],
  options: DateScanOptions,
): Generator<SortKey> {
  const pairs = sql.all<PairSqlRow>(
    `${HELD} SELECT account, asset FROM held WHERE asset IS NOT NULL`,
    toJson(accounts),
  );
  const batch = Math.ceil(options.batch / Math.max(1, pairs.length)) + 1;
  const streams = pairs.map((pair) => ({ items: datedMoves(sql, pair, { ...options, batch }) }));
  let last: number | undefined;
  for (const item of mergeStreams(streams, compareSortKeys(options.order))) {
    if (item.id !== last) yield item;
    last = item.id;
  }
}

const DATED_BATCH_MAX = 2000;

function* datedMoves(
  sql: Sql,
  { account, asset }: Pair,
  options: DateScanOptions,
): Generator<SortKey> {
  const { order, until } = options;
  let [{ from }, limit] = [options, options.batch];
  for (;;) {
    const rows = sql.all<{ id: number; value: string }>(
      SELECT_DATED[order],
      account,
      asset,
      from.value.toString(),
      from.id,
      until.toString(),
      limit,
    );
    for (const { id, value } of rows) yield { id, value: BigInt(value) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    from = nextSortKey(order, { value: BigInt(last.value), id: last.id });
    limit = Math.min(limit * 2, DATED_BATCH_MAX);
  }
}

const selectDated = (order: Order, [on, to]: readonly [string, string]): string =>
  `SELECT tx AS id, CAST(timestamp AS TEXT) AS value FROM move INDEXED BY move_dated
    WHERE account = ? AND asset = ? AND timestamp IS NOT NULL
      AND (timestamp, tx) ${on} (CAST(? AS INTEGER), ?) AND timestamp ${to} CAST(? AS INTEGER)
    ORDER BY timestamp ${order}, tx ${order} LIMIT ? + 0`;

const SELECT_DATED: Readonly<Record<Order, string>> = {
  asc: selectDated("asc", [">=", "<="]),
  desc: selectDated("desc", ["<=", ">="]),
};
