import { arrayAt, type BuiltinCall, countAt, mapAt, refuseArgument, textAt } from "./arguments.ts";
import { ExprError } from "#expr/diagnostics.ts";
import { VALUE_DEPTH_MAX } from "#expr/limits.ts";
import { lengthOf } from "#expr/source.ts";
import { areEqual, order, tooDeep } from "#expr/values/comparing.ts";
import { add, divide } from "#expr/values/numbers.ts";
import type { StepMeter } from "#expr/values/step-meter.ts";
import {
  entriesOf,
  isArray,
  isMap,
  isNumber,
  isObject,
  load,
  memberOf,
  typeNameOf,
  type ExprValue,
} from "#expr/values/values.ts";

export function len(call: BuiltinCall, meter: StepMeter): bigint {
  const value = call.args[0] ?? null;
  if (typeof value === "string") {
    meter.spendText(value.length);
    return BigInt(lengthOf(value));
  }
  if (isArray(value)) return BigInt(value.length);
  if (isMap(value)) return BigInt(value.size);
  return isObject(value) ? BigInt(Object.keys(value).length) : refuseArgument(call, 0);
}

export const first = (call: BuiltinCall): ExprValue => load(arrayAt(call, 0)[0]);
export const last = (call: BuiltinCall): ExprValue => load(arrayAt(call, 0).at(-1));
export const reverse = (call: BuiltinCall): ExprValue => arrayAt(call, 0).toReversed();
export const take = (call: BuiltinCall): ExprValue => arrayAt(call, 0).slice(0, countAt(call, 1));

export function sort(call: BuiltinCall): ExprValue {
  const keyed = arrayAt(call, 0).map((item) => ({ key: load(item), value: load(item) }));
  return sortValues(keyed, call.args[1]);
}

interface Keyed {
  readonly key: ExprValue;
  readonly value: ExprValue;
}

/** Sorts by keys, ascending or, with `desc`, descending. The sort is stable. Throws for keys without an order. */
export function sortValues(keyed: readonly Keyed[], direction: ExprValue | undefined): ExprValue {
  if (direction !== undefined && direction !== "asc" && direction !== "desc") {
    throw new ExprError("invalid-argument", 'invalid order, expected "asc" or "desc"');
  }
  const sign = direction === "desc" ? -1 : 1;
  const sorted = keyed.toSorted((a, b) => {
    const result = order(a.key, b.key);
    if (result !== undefined) return sign * result;
    const message = `cannot order ${typeNameOf(a.key)} and ${typeNameOf(b.key)}`;
    throw new ExprError("invalid-argument", message);
  });
  return sorted.map(({ value }) => value);
}

/** The numbers of the arguments, including those in arrays. */
function numbersOf(call: BuiltinCall, meter: StepMeter): (number | bigint)[] {
  const numbers: (number | bigint)[] = [];
  for (const value of flattened(call.args, meter)) {
    if (!isNumber(value)) {
      const message = `invalid argument for ${call.name} (type ${typeNameOf(value)})`;
      throw new ExprError("invalid-argument", message);
    }
    numbers.push(value);
  }
  return numbers;
}

export function mean(call: BuiltinCall, meter: StepMeter): ExprValue {
  const numbers = numbersOf(call, meter);
  if (numbers.length === 0) return 0;
  return divide(numbers.reduce(add, 0n), numbers.length);
}

export function median(call: BuiltinCall, meter: StepMeter): ExprValue {
  const numbers = numbersOf(call, meter).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const middle = Math.floor(numbers.length / 2);
  const upper = numbers[middle];
  if (upper === undefined) return 0;
  const lower = numbers[middle - 1];
  return numbers.length % 2 === 1 || lower === undefined
    ? Number(upper)
    : divide(add(lower, upper), 2);
}

export const min = (call: BuiltinCall, meter: StepMeter): ExprValue =>
  numbersOf(call, meter).reduce<ExprValue>(
    (least, it) => (isNumber(least) && least <= it ? least : it),
    null,
  );

export const max = (call: BuiltinCall, meter: StepMeter): ExprValue =>
  numbersOf(call, meter).reduce<ExprValue>(
    (most, it) => (isNumber(most) && most >= it ? most : it),
    null,
  );

export function concat(call: BuiltinCall, meter: StepMeter): ExprValue {
  const arrays = call.args.map((_, place) => arrayAt(call, place));
  meter.spend(arrays.reduce((length, array) => length + array.length, 0));
  return arrays.flat();
}

export const flatten = (call: BuiltinCall, meter: StepMeter): ExprValue =>
  flattened(arrayAt(call, 0), meter);

/** Flattens nested arrays of any depth. */
function flattened(values: readonly ExprValue[], meter: StepMeter): ExprValue[] {
  const flat: ExprValue[] = [];
  const walk = (items: readonly ExprValue[], depth: number): void => {
    if (depth > VALUE_DEPTH_MAX) throw tooDeep();
    meter.spend(items.length);
    for (const item of items) {
      if (isArray(item)) walk(item, depth + 1);
      else flat.push(load(item));
    }
  };
  walk(values, 0);
  return flat;
}

/** Removes repeated values. Scalars are looked up in a set; a collection is compared with the earlier ones. */
export function uniq(call: BuiltinCall, meter: StepMeter): ExprValue {
  const seen = new Set<ExprValue>();
  const collections: ExprValue[] = [];
  return arrayAt(call, 0)
    .map(load)
    .filter((value) => {
      meter.spend(1);
      if (typeof value !== "object" || value === null) {
        // An integer and a float of equal value are equal.
        const key = typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
        return !seen.has(key) && seen.add(key);
      }
      if (collections.some((other) => areEqual(other, value, meter))) return false;
      collections.push(value);
      return true;
    });
}

export function join(call: BuiltinCall, meter: StepMeter): ExprValue {
  const separator = call.args.length > 1 ? textAt(call, 1) : "";
  const texts = arrayAt(call, 0).map((item) => {
    if (typeof item === "string") return item;
    throw new ExprError("invalid-argument", `cannot join values of ${typeNameOf(item)}`);
  });
  const length = texts.reduce((length, text) => length + text.length + separator.length, 0);
  meter.spendText(length);
  return texts.join(separator);
}

/** The member or element of a collection; nil instead of an error if it is absent. */
export function get({ args: [object = null, key = null] }: BuiltinCall): ExprValue {
  if (isMap(object) || isObject(object)) return memberOf(object, key);
  if (!isArray(object) || !isNumber(key)) return null;
  return load(object.at(Number(key)));
}

export function keys(call: BuiltinCall, meter: StepMeter): ExprValue {
  return membersOf(call, meter).map(([key]) => key);
}

export function values(call: BuiltinCall, meter: StepMeter): ExprValue {
  return membersOf(call, meter).map(([, value]) => value);
}

export function toPairs(call: BuiltinCall, meter: StepMeter): ExprValue {
  return membersOf(call, meter);
}

function membersOf(call: BuiltinCall, meter: StepMeter): [ExprValue, ExprValue][] {
  const entries = entriesOf(mapAt(call, 0));
  meter.spend(entries.length);
  return entries;
}

export function fromPairs(call: BuiltinCall, meter: StepMeter): ExprValue {
  const pairs = arrayAt(call, 0);
  meter.spend(pairs.length);
  return new Map(
    pairs.map((pair) => {
      const [key = null, value = null] = isArray(pair) ? pair : [];
      if (!isArray(pair) || pair.length !== 2 || (typeof key === "object" && key !== null)) {
        throw new ExprError("invalid-argument", "invalid pair, expected a key and a value");
      }
      return [key, load(value)];
    }),
  );
}
