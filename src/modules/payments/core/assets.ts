/**
 * Assets of payments. Clients name assets as `CODE/N` with the code of an ISO 4217 currency. Providers may report more,
 * such as `BTC/8` or `JPY`; see `PROVIDER_ASSET`.
 */

/** The ISO 4217 currencies, by their number of decimals. */
const NO_DECIMALS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF";
const THREE_DECIMALS = "BHD IQD JOD KWD LYD OMR TND";
const FOUR_DECIMALS = "CLF UYW";
const TWO_DECIMALS =
  "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD YER ZAR ZMW ZWL";

/** The number of decimals of each ISO 4217 currency that is in use. */
export const CURRENCY_DECIMALS: ReadonlyMap<string, number> = new Map(
  [NO_DECIMALS, undefined, TWO_DECIMALS, THREE_DECIMALS, FOUR_DECIMALS].flatMap((codes, decimals) =>
    (codes ?? "")
      .split(" ")
      .filter((code) => code !== "")
      .map((code): [string, number] => [code, decimals]),
  ),
);

const CLIENT_ASSET = /^([A-Za-z]{3})\/\d+$/;

/** Whether a client may name this asset. The decimals may differ from the currency's own, as users rely on this freedom. */
export function isCurrencyAsset(text: string): boolean {
  const code = CLIENT_ASSET.exec(text)?.[1];
  return code !== undefined && CURRENCY_DECIMALS.has(code.toUpperCase());
}

const PROVIDER_ASSET = /^[A-Z][A-Z0-9]{0,16}(?:_[A-Z]{1,16})?(?:\/\d{1,6})?$/;

export const isProviderAsset = (text: string): boolean => PROVIDER_ASSET.test(text);

/** The number of decimals of an ISO 4217 currency; undefined for an unknown one. */
export const currencyDecimals = (currency: string): number | undefined =>
  CURRENCY_DECIMALS.get(currency.toUpperCase());

/**
 * The asset of a currency, such as `EUR/2`; the code alone, such as `JPY`, for a currency that is unknown or has no
 * decimals.
 */
export function assetOf(currency: string): string {
  const code = currency.toUpperCase();
  const decimals = CURRENCY_DECIMALS.get(code) ?? 0;
  return decimals === 0 ? code : `${code}/${decimals}`;
}

/** The currency of an asset: `EUR` of `EUR/2`. */
export const currencyOf = (asset: string): string => asset.split("/", 1)[0] ?? asset;

const DECIMAL = /^(-?)(\d+)(?:\.(\d*))?$/;

/**
 * A decimal text in minor units: `12.3` with two decimals is 1230. Undefined for a text that is no number or has more
 * decimals.
 */
export function toMinorUnits(text: string, decimals: number): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = ""] = match;
  if (fraction.length > decimals) return undefined;
  return BigInt(`${sign}${whole}${fraction.padEnd(decimals, "0")}`);
}

/** Minor units as a decimal text: 1230 with two decimals is `12.30`, and with none it is `1230`. */
export function fromMinorUnits(amount: bigint, decimals: number): string {
  if (decimals === 0) return amount.toString();
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, -decimals);
  return `${amount < 0n ? "-" : ""}${whole}.${digits.slice(-decimals)}`;
}
