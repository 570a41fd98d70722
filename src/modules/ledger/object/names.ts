import type { Account, Asset } from "../core/types.ts";
import type { Sql } from "./sql.ts";

/** The texts behind the integers of a set of rows. */
export interface Names {
  account(id: number): Account;
  asset(id: number): Asset;
}

export function readNames(
  sql: Sql,
  accounts: ReadonlySet<number>,
  assets: ReadonlySet<number>,
): Names {
  const addresses = readColumn(sql, "SELECT id, address AS name FROM account", accounts);
  const names = readColumn(sql, "SELECT id, name FROM asset", assets);
  return {
    account: (id) => named(addresses, id) as Account, // only checked addresses are stored
    asset: (id) => named(names, id) as Asset, // only checked assets are stored
  };
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
