import { type BalanceSource, WHOLE } from "./template.ts";
import { quoteJson, stringifyJson } from "#platform/json.ts";

/** Longest part of a filter that an expression repeats, in characters. Each failing outcome has an expression. */
const QUERY_SHOWN_MAX = 200;

/** The asset of expressions that stand for all assets. */
export const ANY_ASSET = "*";

/** The balance of a source as an expression of the reference's notation: `balance(ledgerSet("main", {…}), "USD/2")`. */
export function balanceText(source: BalanceSource, asset: string, account = WHOLE): string {
  return `balance(${sourceText(source, account)}, ${quoteJson(asset)})`;
}

function sourceText(source: BalanceSource, account: string): string {
  if (source.kind === "pool") return `pool(${quoteJson(source.poolId)})`;
  if (account !== WHOLE) return `account(${quoteJson(source.ledger)}, ${quoteJson(account)})`;
  const query = stringifyJson(source.query);
  const shown = query.length > QUERY_SHOWN_MAX ? `${query.slice(0, QUERY_SHOWN_MAX)}…` : query;
  return `ledgerSet(${quoteJson(source.ledger)}, ${shown})`;
}

/** A text with a sign in front, where it is negative. */
export const signedText = (sign: bigint, text: string): string => (sign < 0n ? `-${text}` : text);

/** The comparison of an absolute value with a tolerance. */
export const withinText = (sum: string, tolerance: bigint | string): string =>
  `abs(${sum}) <= ${tolerance}`;
