import { partsOf, type Scale } from "./balances.ts";
import { evaluateAccount } from "./expressions.ts";
import { bounded, fail, type RunState } from "./state.ts";
import { FEATURES } from "#numscript/features.ts";
import { NUMBER_DIGITS_MAX } from "#numscript/limits.ts";
import type { Source } from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";
import { WORLD } from "#numscript/values/values.ts";

/** Units of an asset in one precision, and their worth in another precision. */
interface Conversion {
  readonly asset: string;
  readonly units: bigint;
  readonly worth: bigint;
}

/**
 * Converts money of an account from other precisions of an asset to the needed precision, by postings to and from the account
 * `through`, whose balance does not matter. Returns the name of the account. Invariant: each unit is converted to exactly its
 * worth. The result may therefore exceed the need; the rest stays on the account.
 */
export function convertScales(
  { state, asset, place }: { state: RunState; asset: string; place: Range },
  { account: source, through, range }: Extract<Source, { kind: "scaling" }>,
  need: bigint | "all",
): string {
  state.require(FEATURES.assetScaling, range);
  const account = evaluateAccount(state, source);
  const exchange = evaluateAccount(state, through);
  if (account === WORLD) {
    fail("invalid-scaling", "Invalid usage or @world account in scaling context", range);
  }
  const missing = need === "all" ? need : need - state.balances.get(account, asset);
  const scales = state.balances.otherScales(account, asset);
  const conversions = chooseConversions(scales, partsOf(asset).precision ?? 0, missing);
  const worth = conversions.reduce((sum, conversion) => sum + conversion.worth, 0n);
  const move = (from: string, to: string, money: { asset: string; amount: bigint }) => {
    if (money.amount === 0n) return;
    state.balances.change(from, money.asset, -money.amount);
    state.balances.change(to, money.asset, money.amount);
    state.post({ source: from, destination: to, ...money }, place);
  };
  for (const { asset, units } of conversions) move(account, exchange, { asset, amount: units });
  move(exchange, account, { asset, amount: bounded(worth, range) });
  return account;
}

/** Chooses the balances to convert: the highest precisions first, until there is enough. */
function chooseConversions(
  scales: readonly Scale[],
  precision: number,
  need: bigint | "all",
): Conversion[] {
  const conversions: Conversion[] = [];
  let got = 0n;
  for (const scale of scales) {
    if (need !== "all" && got >= need) break;
    const conversion = convert(scale, precision, need === "all" ? need : need - got);
    if (conversion === undefined) continue;
    got += conversion.worth;
    conversions.push(conversion);
  }
  return conversions;
}

/**
 * Converts as many units as are needed, or as the balance has, rounded to units that convert exactly. Undefined for overdrawn
 * balances, and for precisions that are too far apart for any amount.
 */
function convert(
  { asset, balance, precision: from }: Scale,
  to: number,
  need: bigint | "all",
): Conversion | undefined {
  if (balance <= 0n || Math.abs(to - from) > NUMBER_DIGITS_MAX) return undefined;
  const factor = 10n ** BigInt(Math.abs(to - from));
  const isCoarser = from < to;
  const available = isCoarser ? balance * factor : balance / factor;
  const wanted = need === "all" || available < need ? available : need;
  if (wanted === 0n) return undefined;
  if (!isCoarser) return { asset, units: wanted * factor, worth: wanted };
  const units = (wanted + factor - 1n) / factor;
  return { asset, units, worth: units * factor };
}
