import type { FilterValues } from "./filter-text.ts";
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
