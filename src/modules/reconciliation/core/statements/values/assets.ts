import type { Field } from "./field.ts";
import type { ReadOptions } from "#modules/reconciliation/core/statements/model/options.ts";
import {
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";

/** A currency with its number of decimals. */
export interface StatementAsset {
  readonly currency: string;
  readonly decimals: number;
  /** Such as `EUR/2`, and `JPY` for one without decimals. */
  readonly name: string;
}

/** The largest number of decimals of an asset. */
const DECIMALS_MAX = 30;

const CURRENCY = /^[A-Z]{3}$/;
const NAMED = /^([A-Z][A-Z0-9_]{0,16})(?:\/(\d{1,2}))?$/;

/** The assets of the currencies in a file. */
export class StatementAssets {
  readonly #decimalsOf: (currency: string) => number | undefined;
  readonly #known = new Map<string, StatementAsset>();

  constructor({ decimalsOf, decimals = {} }: Pick<ReadOptions, "decimals" | "decimalsOf">) {
    this.#decimalsOf = (currency) =>
      Object.hasOwn(decimals, currency) ? decimals[currency] : decimalsOf(currency);
  }

  /** The asset of a currency's code. Throws `StatementError` when its decimals are unknown. */
  ofCurrency(field: Field, what: string): StatementAsset {
    const currency = field.text.trim();
    const known = this.#known.get(currency);
    if (known !== undefined) return known;
    if (!CURRENCY.test(currency))
      throw currencyError(field, what, "which is no code of a currency, such as EUR");
    const decimals = this.#decimalsOf(currency);
    if (decimals === undefined || !isDecimals(decimals))
      throw currencyError(field, what, "a currency whose number of decimals is unknown");
    return this.#remember(currency, assetOf(currency, decimals));
  }

  /** The asset of a currency's code or of a name with decimals, such as `BTC/8`. */
  ofName(field: Field, what: string): StatementAsset {
    const name = field.text.trim();
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const [, code = "", digits] = NAMED.exec(name) ?? [];
    if (code === "") throw currencyError(field, what, "which is no asset, such as EUR/2");
    const decimals = digits === undefined ? this.#decimalsOf(code) : Number(digits);
    if (decimals === undefined || !isDecimals(decimals))
      throw currencyError(field, what, "an asset whose number of decimals is unknown");
    return this.#remember(name, assetOf(code, decimals));
  }

  #remember(key: string, asset: StatementAsset): StatementAsset {
    this.#known.set(key, asset);
    return asset;
  }
}

const isDecimals = (decimals: number): boolean =>
  Number.isInteger(decimals) && decimals >= 0 && decimals <= DECIMALS_MAX;

const assetOf = (currency: string, decimals: number): StatementAsset => ({
  currency,
  decimals,
  name: decimals === 0 ? currency : `${currency}/${decimals}`,
});

function currencyError(field: Field, what: string, problem: string): StatementError {
  const message = `${what} is ${quoteText(field.text)}, ${problem}.`;
  return new StatementError("CURRENCY", message, field.position);
}

/** An amount in smallest units as people write it: `12.30`. */
export function showAmount(amount: bigint, { currency, decimals }: StatementAsset): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0");
  const split = digits.length - decimals;
  const fraction = decimals === 0 ? "" : `.${digits.slice(split)}`;
  return `${amount < 0n ? "-" : ""}${digits.slice(0, split)}${fraction} ${currency}`;
}
