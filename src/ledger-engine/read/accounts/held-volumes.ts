import { CROSSED_MAX } from "#ledger-engine/read/scan/account-volumes.ts";
import type { Volumes } from "#ledger-engine/rules/types.ts";

/** An expression for the volumes of one asset, as `asset input output,`; an empty text if the account has never moved the asset. */
const heldOf = (asset: number): string => `coalesce('${asset} ' || (
  SELECT input || ' ' || output FROM move WHERE account = account.id AND asset = ${asset} ORDER BY tx DESC LIMIT 1
) || ',', '')`;

/**
 * Columns for statements about `account` with the current volumes of the account, so that no other statement needs to read them. The
 * index is the number of assets of the ledger. Above `CROSSED_MAX` assets there is no column, because most accounts hold few of them.
 */
export const HELD_COLUMNS: readonly string[] = Array.from(
  { length: CROSSED_MAX + 1 },
  (_, assets) =>
    ["''", ...Array.from({ length: assets }, (_asset, index) => heldOf(index + 1))].join(" || "),
);

/** The volumes in the text of a column of `HELD_COLUMNS`. */
export function parseHeld(held: string): (Volumes & { readonly asset: number })[] {
  const volumes = [];
  for (let from = 0; from < held.length;) {
    const input = held.indexOf(" ", from) + 1;
    const output = held.indexOf(" ", input) + 1;
    const end = held.indexOf(",", output);
    volumes.push({
      asset: Number(held.slice(from, input - 1)),
      input: BigInt(held.slice(input, output - 1)),
      output: BigInt(held.slice(output, end)),
    });
    from = end + 1;
  }
  return volumes;
}
