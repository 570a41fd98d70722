import { refused } from "./orders.ts";
import {
  assetOf,
  currencyDecimals,
  currencyOf,
  fromMinorUnits,
  toMinorUnits,
} from "#modules/payments/core/assets.ts";
import { log } from "#platform/log.ts";

/** An amount in the smallest unit of an asset. */
export interface ProviderAmount {
  readonly amount: bigint;
  readonly asset: string;
}

export interface CurrencyOptions {
  /** The decimals of currencies for which the provider deviates from ISO 4217, such as `{ ISK: 2 }`. */
  readonly exceptions?: Readonly<Record<string, number>>;
  /** The currencies that the provider supports; by default all of ISO 4217. */
  readonly known?: readonly string[];
}

/**
 * The currencies of a provider. Amounts are converted to the decimals of ISO 4217, so that each currency is one asset. An amount that needs
 * more decimals keeps those of the provider.
 */
export class Currencies {
  readonly #exceptions: ReadonlyMap<string, number>;
  readonly #known: ReadonlySet<string> | undefined;

  constructor({ exceptions = {}, known }: CurrencyOptions = {}) {
    this.#exceptions = new Map(Object.entries(exceptions));
    this.#known = known === undefined ? undefined : new Set(known);
  }

  /** The asset of a currency; undefined for an absent or unsupported currency, whose objects are left out. */
  assetOf(currency: string | undefined): string | undefined {
    if (currency === undefined || this.#decimalsOf(currency) === undefined) return undefined;
    return assetOf(currency);
  }

  /** The amount of a number of the provider's units; undefined for an unsupported currency. */
  fromUnits(units: bigint, currency: string): ProviderAmount | undefined {
    const counted = this.#decimalsOf(currency);
    const decimals = currencyDecimals(currency);
    if (counted === undefined || decimals === undefined) return undefined;
    if (counted <= decimals) {
      return { amount: units * 10n ** BigInt(decimals - counted), asset: assetOf(currency) };
    }
    const factor = 10n ** BigInt(counted - decimals);
    return units % factor === 0n
      ? { amount: units / factor, asset: assetOf(currency) }
      : { amount: units, asset: `${currency.toUpperCase()}/${counted}` };
  }

  /** The amount that a decimal number gives; undefined for an unsupported currency. Throws `ConnectorError` for too many decimals. */
  fromDecimal(text: string, currency: string): ProviderAmount | undefined {
    const decimals = currencyDecimals(currency);
    if (decimals === undefined || this.#decimalsOf(currency) === undefined) return undefined;
    const amount = toMinorUnits(withoutZeros(text, decimals), decimals);
    if (amount === undefined) {
      throw refused(`${text} ${currency} has more than ${decimals} decimals`);
    }
    return { amount, asset: assetOf(currency) };
  }

  /** An amount in the provider's units. Throws `ConnectorError` for an asset that the provider does not support. */
  toUnits({ amount, asset }: ProviderAmount): {
    readonly units: bigint;
    readonly currency: string;
  } {
    const { currency, decimals } = this.#read(asset);
    const counted = this.#decimalsOf(currency) ?? decimals;
    return { units: rescale(amount, { asset, from: decimals, to: counted }), currency };
  }

  /** An amount as a decimal number. Throws `ConnectorError` for an asset that the provider does not support. */
  toDecimal({ amount, asset }: ProviderAmount): {
    readonly decimal: string;
    readonly currency: string;
  } {
    const { currency, decimals } = this.#read(asset);
    const iso = currencyDecimals(currency) ?? decimals;
    const units = rescale(amount, { asset, from: decimals, to: iso });
    return { decimal: fromMinorUnits(units, iso), currency };
  }

  #read(asset: string): { currency: string; decimals: number } {
    const currency = currencyOf(asset);
    const [, decimals = "0"] = asset.split("/", 2);
    if (this.#decimalsOf(currency) === undefined) {
      throw refused(`the provider does not take the asset ${asset}`);
    }
    return { currency, decimals: Number(decimals) };
  }

  #decimalsOf(currency: string): number | undefined {
    const code = currency.toUpperCase();
    if (this.#known !== undefined && !this.#known.has(code)) return undefined;
    return this.#exceptions.get(code) ?? currencyDecimals(code);
  }
}

/**
 * Makes a function that logs that an item is left out because of its currency. The function returns undefined, which readers of items
 * return for such an item.
 */
export const currencySkipper =
  (provider: string) =>
  (what: string, id: string, currency: string): undefined => {
    const why = "an item in a currency that is not supported is left out";
    log("info", why, { provider, what, id, currency });
  };

interface Rescaling {
  readonly asset: string;
  readonly from: number;
  readonly to: number;
}

/** An amount with another number of decimals. Throws `ConnectorError` instead of rounding. */
function rescale(amount: bigint, { asset, from, to }: Rescaling): bigint {
  if (from <= to) return amount * 10n ** BigInt(to - from);
  const factor = 10n ** BigInt(from - to);
  if (amount % factor !== 0n) {
    throw refused(`the provider counts ${currencyOf(asset)} with ${to} decimals`);
  }
  return amount / factor;
}

/** A decimal number without zeros after the last decimal of its currency: `10.500` becomes `10.50` if the currency has two decimals. */
function withoutZeros(text: string, decimals: number): string {
  const [whole = "", fraction = ""] = text.split(".", 2);
  const kept = fraction.slice(decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction.slice(0, decimals)}${kept}`;
}
