import { z } from "zod";
import type { CoinbasePrimeClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { toMinorUnits } from "#modules/payments/core/assets.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Clock } from "#platform/time.ts";

/** Most decimals of an asset; amounts get as many zeros. */
const DECIMALS_MAX = 36;

/** The number of decimals of an asset, as a text or as a number; an empty text stands for none. */
const Precision = z
  .union([z.string().regex(/^\d{0,2}$/), z.int()])
  .transform(Number)
  .pipe(z.int().min(0).max(DECIMALS_MAX));

const Asset = z.object({ symbol: kit.Text, decimal_precision: Precision });
const Kept = z.record(z.string(), z.int());

/** A decimal number; undefined where it is absent or empty. */
export const OptionalDecimal = z
  .union([z.literal(""), kit.DecimalText])
  .nullish()
  .transform((text) => (text === null || text === "" ? undefined : text));

/** Under which name the plugin keeps the assets of a day. */
const PREFIX = "assets/";

/** The decimals of the assets of an entity, by symbols. */
export class PrimeAssets {
  readonly #decimals: ReadonlyMap<string, number>;

  private constructor(decimals: Readonly<Record<string, number>>) {
    this.#decimals = new Map(Object.entries(decimals));
  }

  /** The assets of today, which the plugin asks for once a day. */
  static async read({
    client,
    store,
    clock,
  }: {
    readonly client: CoinbasePrimeClient;
    readonly store: kit.PluginStore;
    readonly clock: Clock;
  }): Promise<PrimeAssets> {
    const name = `${PREFIX}${clock().slice(0, "2026-01-01".length)}`;
    const kept = await store.find(name);
    if (kept !== undefined) return new PrimeAssets(Kept.parse(parseJson(kept)));
    const values = await client.listAssets(await client.entityId());
    const { items } = kit.readEach(values, (value) => kit.parseObject(Asset, value, "an asset"));
    const decimals = Object.fromEntries(
      items.map(({ symbol, decimal_precision }) => [symbol, decimal_precision]),
    );
    await store.removeByPrefix(PREFIX);
    await store.insert({ name, value: stringifyJson(decimals) });
    return new PrimeAssets(decimals);
  }

  /** The asset of a symbol; undefined for a symbol that the entity does not have. */
  assetOf(symbol: string): string | undefined {
    const decimals = this.#decimals.get(symbol);
    return decimals === undefined ? undefined : withDecimals(symbol, decimals);
  }

  /**
   * A decimal number as an amount, with the decimals of its asset, or with more where the number has more: nothing of it is lost. Throws
   * `InvalidObjectError` for an unknown symbol, so that the item is set aside until the provider lists its asset.
   */
  amountOf(text: string, symbol: string): kit.ProviderAmount {
    const decimals = Math.max(this.decimalsOf(symbol), fractionOf(text));
    return { amount: minorUnits(text, decimals), asset: withDecimals(symbol, decimals) };
  }

  /** Throws `InvalidObjectError` for an unknown symbol. */
  decimalsOf(symbol: string): number {
    const decimals = this.#decimals.get(symbol);
    if (decimals === undefined)
      throw new kit.InvalidObjectError(`the asset ${symbol} is not known`);
    return decimals;
  }
}

/** `BTC/8`, and `JPY` for an asset without decimals. */
export const withDecimals = (symbol: string, decimals: number): string =>
  decimals === 0 ? symbol : `${symbol}/${decimals}`;

/** The number of decimals of a decimal number, without zeros at its end. */
export const fractionOf = (text: string): number =>
  (text.split(".", 2)[1] ?? "").replace(/0+$/, "").length;

/** A decimal number in minor units that have at least its decimals. */
export function minorUnits(text: string, decimals: number): bigint {
  const [whole = "", fraction = ""] = text.split(".", 2);
  const units = toMinorUnits(`${whole}.${fraction.replace(/0+$/, "")}`, decimals);
  if (units === undefined) throw new kit.InvalidObjectError(`${text} is no amount`);
  return units;
}
