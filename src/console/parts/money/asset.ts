import type { Integer } from "#openapi";

/** An asset such as `EUR/2`: a code, and the number of decimals of its smallest unit. */
export interface Asset {
  readonly code: string;
  readonly scale: number;
}

/** Largest scale that is shown as decimals: `Intl` takes no more. */
const SCALE_MAX = 100;
const ASSET = /^(.+)\/(\d{1,3})$/;
/** The currencies that have a symbol or a place of their own in a locale. Other codes stand behind the number. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

export function parseAsset(name: string): Asset {
  const [, code, scale] = ASSET.exec(name) ?? [];
  if (code === undefined || Number(scale) > SCALE_MAX) return { code: name, scale: 0 };
  return { code, scale: Number(scale) };
}

/** An amount in the asset's unit as exact decimal text: 1234 of `EUR/2` is `12.34`. */
export function toDecimal(amount: Integer, { scale }: Pick<Asset, "scale">): `${number}` {
  const value = BigInt(amount);
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = scale === 0 ? "" : `.${digits.slice(-scale)}`;
  return `${value < 0n ? "-" : ""}${whole}${fraction}` as `${number}`;
}

/**
 * The amount for people: `€12.34`, `−12.34 GEMS`. All decimals of the asset are shown, nothing is rounded, and the minus is the
 * mathematical one.
 */
export function formatAmount(amount: Integer, asset: string, locale: string): string {
  const { code, scale } = parseAsset(asset);
  const decimal = toDecimal(amount, { scale });
  const digits = { minimumFractionDigits: scale, maximumFractionDigits: scale };
  const text = CURRENCIES.has(code)
    ? new Intl.NumberFormat(locale, { style: "currency", currency: code, ...digits }).format(
        decimal,
      )
    : `${new Intl.NumberFormat(locale, digits).format(decimal)} ${code}`;
  return text.replace("-", "−");
}
