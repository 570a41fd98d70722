import { CROSSED_MAX } from "#ledger-engine/read/scan/account-volumes.ts";
import type { Volumes } from "#ledger-engine/rules/types.ts";

/** The volumes of one asset, as `asset input output,`; nothing where the account has never moved it. */
const heldOf = (asset: number): string => `coalesce('${asset} ' || (
  SELECT input || ' ' || output FROM move WHERE account = account.id AND asset = ${asset} ORDER BY tx DESC LIMIT 1
) || ',', '')`;

/**
 * A column for statements about `account`: the current volumes of the account, so that no other statement needs to read them. There
 * is one for each number of assets that a ledger has, up to a few: of more, most accounts hold none.
 */
export const HELD_COLUMNS: readonly string[] = Array.from(
  { length: CROSSED_MAX + 1 },
  (_, assets) =>
    ["''", ...Array.from({ length: assets }, (_asset, index) => heldOf(index + 1))].join(" || "),
);

/** The volumes that the column contains. */
export const parseHeld = (held: string): (Volumes & { readonly asset: number })[] =>
  held
    .split(",")
    .slice(0, -1)
    .map((item) => {
      const [asset, input = "", output = ""] = item.split(" ");
      return { asset: Number(asset), input: BigInt(input), output: BigInt(output) };
    });
