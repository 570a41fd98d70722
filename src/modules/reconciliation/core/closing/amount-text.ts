const ASSET = /^(?<unit>.+?)(?:\/(?<decimals>\d{1,3}))?$/;
const GROUP = /\B(?=(?:\d{3})+$)/g;

/**
 * An amount as people read it: `-1,234.56` for -123,456 of `EUR/2`. Exact for amounts of any size; an asset without a number of decimals
 * has none.
 */
export function amountText(amount: bigint, asset: string): string {
  const [whole = "", fraction] = decimalText(amount, asset).split(".");
  const grouped = whole.replaceAll(GROUP, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** An amount as programs read it: `-1234.56` for -123,456 of `EUR/2`. */
export function decimalText(amount: bigint, asset: string): string {
  const decimals = Number(ASSET.exec(asset)?.groups?.["decimals"] ?? "0");
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? "" : `.${digits.slice(-decimals)}`;
  return `${amount < 0n ? "-" : ""}${whole}${fraction}`;
}
