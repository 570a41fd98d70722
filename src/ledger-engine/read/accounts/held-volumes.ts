import { CROSSED_MAX } from "#ledger-engine/read/scan/account-volumes.ts";
import type { Volumes } from "#ledger-engine/rules/types.ts";
import type { Sql } from "#platform/sql/sql.ts";

/**
 * A column for statements about `account`: the current volumes of the account, so that no other statement needs to read them.
 * Undefined where the ledger has more than a few assets, of which most accounts hold none.
 */
export function heldColumn(sql: Sql): string | undefined {
  const assets = sql.all<{ id: number }>("SELECT id FROM asset LIMIT ? + 0", CROSSED_MAX + 1);
  if (assets.length > CROSSED_MAX) return undefined;
  return ["''", ...assets.map(({ id }) => heldOf(id))].join(" || ");
}

/** The volumes of one asset, as `asset input output,`; nothing where the account has never moved it. */
const heldOf = (asset: number): string => `coalesce('${asset} ' || (
  SELECT input || ' ' || output FROM move WHERE account = account.id AND asset = ${asset} ORDER BY tx DESC LIMIT 1
) || ',', '')`;

/** The volumes that the column contains. */
export const parseHeld = (held: string): (Volumes & { readonly asset: number })[] =>
  held
    .split(",")
    .slice(0, -1)
    .map((item) => {
      const [asset, input = "", output = ""] = item.split(" ");
      return { asset: Number(asset), input: BigInt(input), output: BigInt(output) };
    });
