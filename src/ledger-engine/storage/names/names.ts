import { NameCache } from "./name-cache.ts";
import type { Account, Asset } from "#ledger-engine/rules/types.ts";
import { readColumns } from "#platform/sql/columns.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** Translates the integers in stored rows to names. */
export interface Names {
  account(id: number): Account;
  asset(id: number): Asset;
}

/** The names of a ledger, with a cache: the name of an integer never changes unless its row was rolled back. */
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

  /** Forgets all names, because rows may have been rolled back. */
  reset(): void {
    this.#accounts.reset();
    this.#assets.reset();
  }
}

/** The names of one table, accounts or assets. */
class NameColumn {
  readonly #sql: Sql;
  readonly #select: string;
  readonly #kept = new NameCache();

  constructor(sql: Sql, select: string) {
    this.#sql = sql;
    this.#select = select;
  }

  get(id: number): string {
    const known = this.#kept.get(id);
    if (known !== undefined) return known;
    this.prefetch([id]);
    const name = this.#kept.get(id);
    if (name === undefined) throw new Error(`the log names ${id}, which has no name`);
    return name;
  }

  prefetch(ids: Iterable<number>): void {
    this.#kept.trim();
    let missing: Set<number> | undefined;
    for (const id of ids) {
      if (!this.#kept.has(id)) (missing ??= new Set()).add(id);
    }
    if (missing === undefined) return;
    this.#kept.forgetDisplaced();
    for (const [id, name] of readColumn(this.#sql, this.#select, missing)) this.#kept.set(id, name);
  }

  reset(): void {
    this.#kept.clear();
  }
}

/** The stored names as plain data. Integers without a name are left out. */
export function readNameMaps(
  sql: Sql,
  accounts: ReadonlySet<number>,
  assets: ReadonlySet<number>,
): NameMaps {
  return {
    accounts: new Map(readColumn(sql, SELECT_ACCOUNT_NAMES, accounts)),
    assets: new Map(readColumn(sql, SELECT_ASSET_NAMES, assets)),
  };
}

export interface NameMaps {
  readonly accounts: ReadonlyMap<number, string>;
  readonly assets: ReadonlyMap<number, string>;
}

// LEFT JOIN makes each integer a look-up in the table, and keeps the order of the integers.
const selectNames = (table: string, name: string): string =>
  `SELECT json_group_array(${name}) AS names FROM json_each(?) AS wanted LEFT JOIN ${table} ON ${table}.id = wanted.value`;
const SELECT_ACCOUNT_NAMES = selectNames("account", "address");
const SELECT_ASSET_NAMES = selectNames("asset", "name");

/** The number of names, of at most 256 characters each, that are read at a time. */
const NAMES_TOGETHER = 4000;

function* readColumn(
  sql: Sql,
  select: string,
  ids: ReadonlySet<number>,
): Generator<[id: number, name: string]> {
  const wanted = [...ids];
  for (let from = 0; from < wanted.length; from += NAMES_TOGETHER) {
    const together = wanted.slice(from, from + NAMES_TOGETHER);
    const { names } = readColumns(sql, select, `[${together.join(",")}]`) as NameColumns; // the column of the statement
    for (const [index, id] of together.entries()) {
      const name = names[index];
      if (name !== undefined && name !== null) yield [id, name];
    }
  }
}

/** The names in the order of the ids; null for an id without a name. */
type NameColumns = { readonly names: readonly (string | null)[] };
