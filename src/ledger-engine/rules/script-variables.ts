import { AppError } from "#platform/errors.ts";
import { decimalSource } from "#platform/json.ts";

/** Deepest nesting of a value that is printed as a text. */
const DEPTH_MAX = 8;

/**
 * The variables of a script as texts, from JSON. Texts stay as they are, `{"asset", "amount"}` becomes `USD/2 100`, and
 * other values are printed in the form of the reference server, but with exact numbers. An object without an amount is left
 * out.
 */
export function toVariableTexts(
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const texts = Object.entries(values).flatMap(([name, value]) => {
    const text = isObject(value) ? monetaryText(value) : printed(value, DEPTH_MAX);
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(texts);
}

function monetaryText({ asset, amount }: Readonly<Record<string, unknown>>): string | undefined {
  const isAmount = typeof amount === "string" || isNumber(amount);
  return isAmount ? `${printed(asset, DEPTH_MAX)} ${printed(amount, DEPTH_MAX)}` : undefined;
}

/** Prints a JSON value in the notation of Go. */
function printed(value: unknown, depth: number): string {
  if (depth === 0) throw new AppError("VALIDATION", "a script variable is nested too deeply");
  if (typeof value === "string") return value;
  if (isNumber(value)) return typeof value === "symbol" ? decimalSource(value) : `${value}`;
  if (typeof value === "boolean") return `${value}`;
  if (Array.isArray(value)) return `[${value.map((item) => printed(item, depth - 1)).join(" ")}]`;
  if (!isObject(value)) return "<nil>";
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([key, item]) => `${key}:${printed(item, depth - 1)}`).join(" ")}]`;
}

const isNumber = (value: unknown): value is number | bigint | symbol =>
  typeof value === "number" || typeof value === "bigint" || typeof value === "symbol";

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
