import { DateValue, TimeSpan, TimeZone } from "./moments.ts";
import type { StepMeter } from "./step-meter.ts";
import {
  entriesOf,
  isArray,
  isMap,
  isNumber,
  isObject,
  load,
  memberOf,
  type ExprValue,
} from "./values.ts";
import { ExprError } from "#expr/diagnostics.ts";
import { VALUE_DEPTH_MAX } from "#expr/limits.ts";

/** Whether two values are equal: numbers by value, collections by their elements or members. */
export function areEqual(a: ExprValue, b: ExprValue, meter: StepMeter): boolean {
  if (a === b) return true;
  // oxlint-disable-next-line eqeqeq -- integers and floats are compared by value.
  if (isNumber(a) && isNumber(b)) return a == b;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  return new Comparison(meter).areEqual(a, b);
}

class Comparison {
  readonly #meter: StepMeter;
  #depth = 0;

  constructor(meter: StepMeter) {
    this.#meter = meter;
  }

  areEqual(first: ExprValue, second: ExprValue): boolean {
    const [a, b] = [load(first), load(second)];
    this.#meter.spend(1);
    if (a === b) return true;
    // oxlint-disable-next-line eqeqeq -- integers and floats are compared by value.
    if (isNumber(a) && isNumber(b)) return a == b;
    if (++this.#depth > VALUE_DEPTH_MAX) throw tooDeep();
    const result = this.#areEqualCollections(a, b);
    this.#depth--;
    return result;
  }

  #areEqualCollections(a: ExprValue, b: ExprValue): boolean {
    if (isArray(a)) {
      if (!isArray(b) || a.length !== b.length) return false;
      return a.every((item, index) => this.areEqual(item, b[index] ?? null));
    }
    if (a instanceof DateValue) return b instanceof DateValue && a.nanos === b.nanos;
    if (a instanceof TimeSpan) return b instanceof TimeSpan && a.nanos === b.nanos;
    if (a instanceof TimeZone) return b instanceof TimeZone && a.name === b.name;
    if (!(isMap(a) || isObject(a)) || !(isMap(b) || isObject(b))) return false;
    const entries = entriesOf(a);
    if (entries.length !== entriesOf(b).length) return false;
    return entries.every(
      ([key, value]) => hasMember(b, key) && this.areEqual(value, memberOf(b, key)),
    );
  }
}

export function hasMember(map: ExprValue, key: ExprValue): boolean {
  if (isMap(map)) return map.has(key);
  return isObject(map) && typeof key === "string" && Object.hasOwn(map, key);
}

export const tooDeep = (): ExprError =>
  new ExprError("limit-exceeded", `a value is nested at most ${VALUE_DEPTH_MAX} levels deep`);

/** The order of two values: negative if the first value is smaller; undefined if the values have no order. */
export function order(a: ExprValue, b: ExprValue): number | undefined {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "string" && typeof b === "string") return orderTexts(a, b);
  if (a instanceof DateValue && b instanceof DateValue) return Number(a.nanos - b.nanos);
  if (a instanceof TimeSpan && b instanceof TimeSpan) return Number(a.nanos - b.nanos);
  return undefined;
}

/**
 * Orders texts by code points, which is the order of their UTF-8 bytes. Surrogates need a higher rank: they stand for code points above all
 * others, but their units are smaller than some.
 */
function orderTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === length) return a.length - b.length;
  return rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at));
}

const rankOf = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
