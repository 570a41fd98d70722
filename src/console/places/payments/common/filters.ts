import type { FilterValues } from "#console/parts/filters/filter-text.ts";
import { stringifyJson } from "#platform/json.ts";

/** Conditions of the API's filter language. */
export type Condition = Readonly<Record<string, unknown>>;
export type Conditions = Readonly<Record<string, (value: string) => Condition>>;

/** The filter of the API for the filters of the URL; undefined without filters. */
export function filterOf(values: FilterValues, conditions: Conditions): string | undefined {
  const all = Object.entries(values).flatMap(([id, value]) => {
    const condition = conditions[id];
    return condition === undefined ? [] : [condition(value)];
  });
  return all.length === 0 ? undefined : stringifyJson(all.length === 1 ? all[0] : { $and: all });
}

/** The condition that a property of the API has the value. */
export const equals =
  (property: string) =>
  (value: string): Condition => ({ $match: { [property]: value } });

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
