import { BoundedMap } from "./bounded-map.ts";
import { readColumns } from "./moves/columns.ts";
import type { Account, Asset } from "#ledger-engine/rules/types.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The names that the integers in some rows stand for. */
export interface Names {
  account(id: number): Account;
  asset(id: number): Asset;
}

/** At most this many names of accounts are kept, and as many of assets. */
const NAMES_CACHED_MAX = 20_000;

/**
 * The names of a ledger. Those that were read last are kept, because the name of an integer never changes, unless the row that
 * gave it was rolled back.
 */
export class StoredNames implements Names {
  readonly #accounts: NameColumn;
  readonly #assets: NameColumn;

  constructor(sql: Sql) {
    this.#accounts = new NameColumn(sql, SELECT_ACCOUNT_NAMES);
    this.#assets = new NameColumn(sql, SELECT_ASSET_NAMES);
  }

  account(id: number): Account {
    return this.#accounts.get(id) as Account; // only checked addresses are stored
  }

  asset(id: number): Asset {
    return this.#assets.get(id) as Asset; // only checked assets are stored
  }

  /** Reads the names that are not known yet with one statement for each table. */
  prefetch(ids: { accounts?: Iterable<number>; assets?: Iterable<number> }): Names {
    if (ids.accounts !== undefined) this.#accounts.prefetch(ids.accounts);
    if (ids.assets !== undefined) this.#assets.prefetch(ids.assets);
    return this;
  }

  /** Forgets all names: rows may have been rolled back. */
  reset(): void {
    this.#accounts.reset();
    this.#assets.reset();
  }
}

/** The names of one table. */
class NameColumn {
  readonly #sql: Sql;
  readonly #select: string;
  readonly #names = new BoundedMap<number, string>(NAMES_CACHED_MAX);

  constructor(sql: Sql, select: string) {
    this.#sql = sql;
    this.#select = select;
  }

  get(id: number): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    this.prefetch([id]);
    const name = this.#names.get(id);
    if (name === undefined) throw new Error(`the log names ${id}, which has no name`);
    return name;
  }

  prefetch(ids: Iterable<number>): void {
    let missing: Set<number> | undefined;
    for (const id of ids) {
      if (this.#names.get(id) === undefined) (missing ??= new Set()).add(id);
    }
    if (missing === undefined) return;
    this.#names.trim();
    for (const [id, name] of readColumn(this.#sql, this.#select, missing))
      this.#names.set(id, name);
  }

  reset(): void {
    this.#names.clear();
  }
}

/** The names as plain data, as they are stored now. Integers that have no name are left out. */
export function readNameMaps(
  sql: Sql,
  accounts: ReadonlySet<number>,
  assets: ReadonlySet<number>,
): NameMaps {
  return {
    accounts: readColumn(sql, SELECT_ACCOUNT_NAMES, accounts),
    assets: readColumn(sql, SELECT_ASSET_NAMES, assets),
  };
}

export interface NameMaps {
  readonly accounts: ReadonlyMap<number, string>;
  readonly assets: ReadonlyMap<number, string>;
}

// CROSS JOIN makes each integer a look-up in the table.
const selectNames = (table: string, name: string): string =>
  `SELECT json_group_array(${table}.id) AS ids, json_group_array(${name}) AS names
    FROM json_each(?) AS wanted CROSS JOIN ${table} ON ${table}.id = wanted.value`;
const SELECT_ACCOUNT_NAMES = selectNames("account", "address");
const SELECT_ASSET_NAMES = selectNames("asset", "name");

/** So many names, of at most 256 characters, are read at a time. */
const NAMES_TOGETHER = 4000;

function readColumn(sql: Sql, select: string, ids: ReadonlySet<number>): Map<number, string> {
  const found = new Map<number, string>();
  const wanted = [...ids];
  for (let from = 0; from < wanted.length; from += NAMES_TOGETHER) {
    const list = `[${wanted.slice(from, from + NAMES_TOGETHER).join(",")}]`;
    const columns = readColumns(sql, select, list) as NameColumns; // as the statement lists them
    for (const [index, id] of columns.ids.entries()) found.set(id, columns.names[index] ?? "");
  }
  return found;
}

type NameColumns = { readonly ids: readonly number[]; readonly names: readonly string[] };
