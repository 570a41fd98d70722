import type { Account, Asset } from "#ledger-engine/rules/types.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The names that the integers in some rows stand for. */
export interface Names {
  account(id: number): Account;
  asset(id: number): Asset;
}

export function readNames(
  sql: Sql,
  accounts: ReadonlySet<number>,
  assets: ReadonlySet<number>,
): Names {
  const found = readNameMaps(sql, accounts, assets);
  return {
    account: (id) => named(found.accounts, id) as Account, // only checked addresses are stored
    asset: (id) => named(found.assets, id) as Asset, // only checked assets are stored
  };
}

/** The same as plain data. Integers that have no name are left out. */
export function readNameMaps(
  sql: Sql,
  accounts: ReadonlySet<number>,
  assets: ReadonlySet<number>,
): NameMaps {
  return {
    accounts: readColumn(sql, "SELECT id, address AS name FROM account", accounts),
    assets: readColumn(sql, "SELECT id, name FROM asset", assets),
  };
}

export interface NameMaps {
  readonly accounts: ReadonlyMap<number, string>;
  readonly assets: ReadonlyMap<number, string>;
}

function readColumn(
  sql: Sql,
  select: string,
  ids: ReadonlySet<number>,
): ReadonlyMap<number, string> {
  if (ids.size === 0) return new Map();
  const rows = sql.all<{ id: number; name: string }>(
    `${select} WHERE id IN (SELECT value FROM json_each(?))`,
    `[${[...ids].join(",")}]`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function named(names: ReadonlyMap<number, string>, id: number): string {
  const name = names.get(id);
  if (name === undefined) throw new Error(`the log names ${id}, which has no name`);
  return name;
}
