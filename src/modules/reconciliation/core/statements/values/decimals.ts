import type { Field } from "./field.ts";
import { AMOUNT_DIGITS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import {
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";

/** How a decimal number is written. */
export interface DecimalForm {
  readonly decimalSign: "." | "," | "either";
  readonly thousandsSign?: "." | "," | " " | "'" | undefined;
  /** Whether `-1`, `+1`, `1-` and `(1)` are numbers. */
  readonly signed: boolean;
}

/** What banks write for a minus, a blank between groups, and an apostrophe. */
const SAME_SIGNS: Readonly<Record<string, string>> = {
  "\u{2212}": "-",
  "\u{2013}": "-",
  "\u{A0}": " ",
  "\u{202F}": " ",
  "\u{2009}": " ",
  "\u{2019}": "'",
};
const SAME_SIGN = /[\u{2212}\u{2013}\u{A0}\u{202F}\u{2009}\u{2019}]/gu;

const SIGNED = /^(?:([+-]?) ?([^()+-]+)|([^()+-]+)([+-])|\(([^()+-]+)\))$/;

/**
 * The amount of a decimal text in units of which `10 ** decimals` are one. It is exact: a number with more decimals is an error, unless
 * these are zeros. Throws `StatementError` with a sentence that names the field by `what`.
 */
export function parseAmount(
  field: Field,
  { form, decimals, what }: { form: DecimalForm; decimals: number; what: string },
): bigint {
  const fail = (problem: string): never => {
    const message = `${what} is ${quoteText(field.text)}, which ${problem}.`;
    throw new StatementError("AMOUNT", message, field.position);
  };
  const text = field.text.replaceAll(SAME_SIGN, (sign) => SAME_SIGNS[sign] ?? sign).trim();
  const { isNegative, digits } = splitSign(text, form.signed) ?? fail("is no amount");
  const [whole, fraction, ...more] = splitDecimals(digits, form);
  if (whole === undefined || more.length > 0) return fail("is no amount");
  const plain = ungroup(whole, form.thousandsSign);
  if (plain === undefined || !/^\d*$/.test(fraction ?? "")) return fail("is no amount");
  if (plain.length + (fraction ?? "").length > AMOUNT_DIGITS_MAX)
    return fail(`has more than ${AMOUNT_DIGITS_MAX} digits`);
  const exact = (fraction ?? "").padEnd(decimals, "0");
  if (/[1-9]/.test(exact.slice(decimals)))
    return fail(`has more than the ${decimals} decimals of its currency`);
  const units = BigInt(plain + exact.slice(0, decimals));
  return isNegative ? -units : units;
}

function splitSign(
  text: string,
  signed: boolean,
): { isNegative: boolean; digits: string } | undefined {
  if (!signed) return { isNegative: false, digits: text };
  const match = SIGNED.exec(text);
  if (match === null) return undefined;
  const [, before, first, second, after, inside] = match;
  const digits = (first ?? second ?? inside ?? "").trim();
  return { isNegative: before === "-" || after === "-" || inside !== undefined, digits };
}

function splitDecimals(digits: string, { decimalSign }: DecimalForm): string[] {
  return digits.split(decimalSign === "either" ? /[.,]/ : decimalSign);
}

/** Digits without the signs between their groups; undefined when they are not in groups of three. */
function ungroup(whole: string, sign: DecimalForm["thousandsSign"]): string | undefined {
  if (/^\d+$/.test(whole)) return whole;
  if (sign === undefined) return undefined;
  const groups = whole.split(sign);
  const areGroups =
    /^\d{1,3}$/.test(groups[0] ?? "") && groups.slice(1).every((group) => /^\d{3}$/.test(group));
  return areGroups ? groups.join("") : undefined;
}

/** A whole number of at most nine digits, such as a count. */
export function parseCount(field: Field, what: string): number {
  const text = field.text.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const message = `${what} is ${quoteText(field.text)}, which is no count.`;
  throw new StatementError("VALUE", message, field.position);
}
