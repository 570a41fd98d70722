import { decimalSource } from "#platform/json.ts";

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object without the members that it has a second time with a small first letter, which older clients read. */
export const withoutTwins = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).filter(([name]) => {
          const small = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
          return small === name || !Object.hasOwn(value, small);
        }),
      )
    : value;

/** A value of JSON as a text: a text itself, or the digits of a number; empty for any other value. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return typeof value === "symbol" ? decimalSource(value) : "";
}
