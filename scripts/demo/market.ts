import type { Random } from "../lib/random.ts";

/** A shop on the marketplace, which sells in one asset. */
export interface Merchant {
  readonly name: string;
  readonly asset: string;
  readonly prices: Range;
}

export interface Range {
  readonly least: bigint;
  readonly most: bigint;
}

/** The loyalty points of the marketplace, which have more units than a 64-bit integer can count. */
export const POINTS = { asset: "STAR/18", issued: 10n ** 30n } as const;

/** The number of merchants for each asset, and their prices in its smallest unit. Prices in ETH/18 exceed 2^53. */
const TRADES: readonly (Range & { asset: string; merchants: number })[] = [
  { asset: "EUR/2", merchants: 9, least: 350n, most: 18_000n },
  { asset: "USD/2", merchants: 7, least: 500n, most: 25_000n },
  { asset: "JPY", merchants: 4, least: 300n, most: 20_000n },
  { asset: "BTC/8", merchants: 2, least: 20_000n, most: 900_000n },
  { asset: "ETH/18", merchants: 2, least: 10n ** 16n, most: 10n ** 18n },
];

export const MERCHANTS: readonly Merchant[] = TRADES.flatMap(({ asset, merchants, least, most }) =>
  Array.from({ length: merchants }, (_, index) => ({
    name: `${asset.slice(0, 3).toLowerCase()}${String(index + 1).padStart(2, "0")}`,
    asset,
    prices: { least, most },
  })),
);

const CUSTOMERS = 120;

export const CUSTOMER_NAMES: readonly string[] = Array.from({ length: CUSTOMERS }, (_, index) =>
  String(index + 1).padStart(4, "0"),
);

/** The chart of accounts. */
export const WORLD = "world";
export const walletOf = (customer: string): string => `customers:${customer}:wallet`;
export const salesOf = ({ name }: Merchant): string => `merchants:${name}:sales`;
export const tipsOf = ({ name }: Merchant): string => `merchants:${name}:tips`;
export const bankOf = ({ name }: Merchant): string => `banks:merchants:${name}`;
export const FEES = "platform:fees";
export const TAXES = "platform:taxes";
export const REWARDS = "platform:rewards";
export const TREASURY = "platform:treasury";
export const TAX_OFFICE = "banks:tax-office";

/** The percentages of a price that go to the platform and to the tax office. */
const FEE_PERCENT = 5n;
const TAX_PERCENT = 20n;

/** Splits a price into fee, tax and the merchant's share. Fee and tax are rounded down; the merchant gets the rest. */
export function splitPrice(price: bigint): { net: bigint; fee: bigint; tax: bigint } {
  const fee = (price * FEE_PERCENT) / 100n;
  const tax = (price * TAX_PERCENT) / 100n;
  return { net: price - fee - tax, fee, tax };
}

/** A random amount in a range, with random digits down to the smallest unit. */
export function amountIn(random: Random, { least, most }: Range): bigint {
  let digits = "";
  while (digits.length < most.toString().length + 3)
    digits += random.integer(0, 999_999).toString();
  return least + (BigInt(digits) % (most - least + 1n));
}
