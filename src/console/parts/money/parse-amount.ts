import { parseAsset } from "./asset.ts";

/** A number as people type it, with a point or a comma before the decimals, and no separators of thousands. */
const TYPED = /^(-?)(\d{1,60})(?:[.,](\d{1,100}))?$/;

/**
 * The integer of the API for an amount that somebody typed in the asset's unit: `12.3` of `EUR/2` is 1230. Undefined for a text that is no
 * number, or that has more decimals than the asset: nothing is rounded.
 */
export function parseAmount(text: string, asset: string): bigint | undefined {
  const [, sign = "", whole, fraction = ""] = TYPED.exec(text.trim()) ?? [];
  const { scale } = parseAsset(asset);
  if (whole === undefined || fraction.length > scale) return undefined;
  return BigInt(`${sign}${whole}${fraction.padEnd(scale, "0")}`);
}
