import { DateValue, TimeSpan, TimeZone } from "./moments.ts";
import { decimalSource } from "#platform/json.ts";

/**
 * A value of the language. Integers are `bigint`. Numbers of a payload are `number` if exact and `bigint` otherwise; decimals of a payload
 * are `symbol`, as `platform/json.ts` reads them. Maps of a payload are objects; maps that an expression makes are of the class `Map`.
 */
export type ExprValue =
  | (null | boolean | bigint | number | string | symbol)
  | (readonly ExprValue[] | ReadonlyMap<ExprValue, ExprValue> | JsonMap)
  | (DateValue | TimeSpan | TimeZone);

export interface JsonMap {
  readonly [name: string]: ExprValue;
}

/** The value of parsed JSON. Any value that `parseJson` gives is a value of the language. */
export const fromJson = (json: unknown): ExprValue => (json ?? null) as ExprValue;

/** Loads a variable, element or member: a decimal becomes its number, and undefined becomes nil. */
export function load(value: ExprValue | undefined): ExprValue {
  if (typeof value === "symbol") return Number(decimalSource(value));
  return value ?? null;
}

export const isArray = (value: ExprValue): value is readonly ExprValue[] => Array.isArray(value);
export const isMap = (value: ExprValue): value is ReadonlyMap<ExprValue, ExprValue> =>
  value instanceof Map;
export const isNumber = (value: ExprValue): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

export function isObject(value: ExprValue): value is JsonMap {
  if (typeof value !== "object" || value === null) return false;
  return !(isArray(value) || isMap(value) || isTime(value));
}

export const isTime = (value: ExprValue): value is DateValue | TimeSpan | TimeZone =>
  value instanceof DateValue || value instanceof TimeSpan || value instanceof TimeZone;

/** The members of a map of either kind. */
export function entriesOf(
  value: ReadonlyMap<ExprValue, ExprValue> | JsonMap,
): [ExprValue, ExprValue][] {
  const entries: [ExprValue, ExprValue][] = isMap(value) ? [...value] : Object.entries(value);
  return entries.map(([key, member]) => [key, load(member)]);
}

/** The member of a map; nil if absent. */
export function memberOf(
  map: ReadonlyMap<ExprValue, ExprValue> | JsonMap,
  key: ExprValue,
): ExprValue {
  if (isMap(map)) return load(map.get(key));
  return typeof key === "string" && Object.hasOwn(map, key) ? load(map[key]) : null;
}

/** A member of any value, for functions of the caller; nil if the value has no such member. */
export const memberOrNil = (value: ExprValue, name: string): ExprValue =>
  isMap(value) || isObject(value) ? memberOf(value, name) : null;
export const elementsOf = (value: ExprValue): ExprValue[] =>
  isArray(value) ? value.map(load) : [];

/** The name of a value's type in errors. */
export function typeNameOf(value: ExprValue): string {
  if (value === null) return "<nil>";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number" || typeof value === "symbol") return "float64";
  if (typeof value === "string") return "string";
  if (isArray(value)) return "[]interface {}";
  if (value instanceof DateValue) return "time.Time";
  if (value instanceof TimeSpan) return "time.Duration";
  return value instanceof TimeZone ? "*time.Location" : "map[string]interface {}";
}

/** The answer of the built-in function `type`. */
export function typeOf(value: ExprValue): string {
  const name = typeNameOf(value);
  if (name === "<nil>") return "nil";
  if (name === "float64") return "float";
  if (name.startsWith("[]")) return "array";
  return name.startsWith("map") ? "map" : name.replace("*", "");
}
