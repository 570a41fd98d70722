import { type Condition, equals } from "#console/parts/filters/api-filter.ts";

/** The condition that one of two properties of the API has the value. */
export const equalsEither =
  (one: string, other: string) =>
  (value: string): Condition => ({ $or: [equals(one)(value), equals(other)(value)] });

const METADATA = /^([^=]+)=(.*)$/s;
export const isMetadata = (text: string): boolean => METADATA.test(text);

/** The condition of `key=value`. */
export function hasMetadata(text: string): Condition {
  const [, key = "", value = ""] = METADATA.exec(text) ?? [];
  return { $match: { [`metadata[${key}]`]: value } };
}

const INTEGER = /^\d{1,30}$/;
export const isAmount = (text: string): boolean => INTEGER.test(text);

/** The condition that an amount is at least the value, in the smallest unit of its asset. */
export const atLeast = (text: string): Condition => ({
  $gte: { amount: isAmount(text) ? BigInt(text) : 0n },
});
