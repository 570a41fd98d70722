import { parseAsset } from "./asset.ts";

/** How people of a locale write numbers. */
export interface NumberSigns {
  readonly decimal: string;
  /** Whether a point also means decimals: it does where it does not separate thousands. */
  readonly takesPoint: boolean;
}

export function numberSignsOf(locale: string): NumberSigns {
  const parts = new Intl.NumberFormat(locale, { useGrouping: "always" }).formatToParts(12345.6);
  const signOf = (type: string): string | undefined =>
    parts.find((part) => part.type === type)?.value;
  return { decimal: signOf("decimal") ?? ".", takesPoint: signOf("group") !== "." };
}

/**
 * The integer of a typed amount: `12.34` is 1234 at scale 2. Undefined for what is no amount, has separators of thousands, or more decimals
 * than the asset: nothing is rounded.
 */
export function toUnits(
  text: string,
  scale: number,
  { decimal, takesPoint }: NumberSigns,
): bigint | undefined {
  const [, sign = "", whole, mark = decimal, fraction = ""] =
    /^([-−]?)(\d{1,100})(?:(\D)(\d{0,100}))?$/.exec(text.trim()) ?? [];
  const isDecimal = mark === decimal || (mark === "." && takesPoint);
  if (whole === undefined || !isDecimal || fraction.length > scale) return undefined;
  const units = BigInt(`${whole}${fraction.padEnd(scale, "0")}`);
  return sign === "" ? units : -units;
}

/** The integer of the API for an amount that somebody sends, typed in the asset's unit; undefined for a text that is none, or is negative. */
export function parseAmount(text: string, asset: string, locale: string): bigint | undefined {
  const units = toUnits(text, parseAsset(asset).scale, numberSignsOf(locale));
  return units === undefined || units < 0n ? undefined : units;
}
