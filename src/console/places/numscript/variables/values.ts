import { parseAsset } from "#console/parts/money/asset.ts";
import { type NumberSigns, toUnits } from "#console/parts/money/parse-amount.ts";
import type { Values } from "#console/places/numscript/types.ts";

/** The types of variables that have an input of their own; others are texts. */
export type VariableType = "account" | "asset" | "number" | "monetary" | "portion" | "string";

/** A variable that the person fills in. */
export interface Variable {
  readonly name: string;
  readonly type: string;
}

/** A typed amount: the text of the number, and the asset. */
export function splitMonetary(value: string): readonly [asset: string, text: string] {
  const cut = value.indexOf(" ");
  return cut === -1 ? [value, ""] : [value.slice(0, cut), value.slice(cut + 1)];
}

/** A value of the API as the person would type it. */
export function toTyped(type: string, value: string, { decimal }: NumberSigns): string {
  if (type !== "monetary") return value;
  const [asset, integer] = splitMonetary(value);
  if (!/^-?\d+$/.test(integer)) return value;
  const { scale } = parseAsset(asset);
  const isNegative = integer.startsWith("-");
  const digits = integer.replace("-", "").padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = scale === 0 ? "" : `${decimal}${digits.slice(-scale)}`;
  return `${asset} ${isNegative ? "-" : ""}${whole}${fraction}`;
}

/** The value for the API of what the person has typed; undefined if it is not of the type. */
export function toWire(type: string, typed: string, signs: NumberSigns): string | undefined {
  if (type === "monetary") {
    const [asset, text] = splitMonetary(typed);
    const units = toUnits(text, parseAsset(asset).scale, signs);
    return units === undefined || !PATTERNS.asset.test(asset) ? undefined : `${asset} ${units}`;
  }
  if (type === "portion") return toPortion(typed, signs);
  const pattern = PATTERNS[type];
  return pattern === undefined || pattern.test(typed) ? typed : undefined;
}

/** A share as the API takes it: `2,5 %` is `2.5%`. */
function toPortion(typed: string, { decimal }: NumberSigns): string | undefined {
  const text = typed.replaceAll(/\s/g, "").replace(decimal, ".");
  return /^(?:\d+\/\d+|\d+(?:\.\d+)?%)$/.test(text) ? text : undefined;
}

const PATTERNS: Readonly<Record<string, RegExp>> & { readonly asset: RegExp } = {
  account: /^[\w-]+(?::[\w-]+)*$/,
  asset: /^[A-Z][A-Z0-9]{0,16}(?:_[A-Z]{1,16})?(?:\/\d{1,6})?$/,
  number: /^-?\d+$/,
};

/** The values of variables for the API; undefined if one of them is missing or does not fit. */
export function allToWire(
  variables: readonly Variable[],
  values: Values,
  signs: NumberSigns,
): Values | undefined {
  const entries = variables.map(
    ({ name, type }) => [name, toWire(type, values[name] ?? "", signs)] as const,
  );
  return entries.every(([, value]) => value !== undefined)
    ? (Object.fromEntries(entries) as Values) // No value is undefined.
    : undefined;
}

/** Values of the API as the person would type them. A value with an asset and an integer is an amount. */
export const allToTyped = (values: Values, signs: NumberSigns): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      AMOUNT.test(value) ? toTyped("monetary", value, signs) : value,
    ]),
  );

const AMOUNT = /^[A-Z][A-Z0-9_]*(?:\/\d+)? -?\d+$/;
