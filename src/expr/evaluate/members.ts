import { ExprError } from "#expr/diagnostics.ts";
import type { StepMeter } from "#expr/values/step-meter.ts";
import {
  isArray,
  isMap,
  isObject,
  load,
  memberOf,
  typeNameOf,
  type ExprValue,
} from "#expr/values/values.ts";

/** A member of a map, an element of an array or a character of a string. */
export function indexOf(object: ExprValue, key: ExprValue, meter: StepMeter): ExprValue {
  if (typeof key === "string" || isMap(object)) {
    if (isMap(object) || isObject(object)) return memberOf(object, key);
  } else {
    const index = integerOf(key);
    if (isArray(object) && index !== undefined) return load(elementAt(object, index));
    if (typeof object === "string" && index !== undefined) {
      meter.spendText(object.length);
      return BigInt(elementAt(Array.from(object), index).codePointAt(0) ?? 0);
    }
  }
  const shown =
    typeof key === "string" || typeof key === "bigint"
      ? String(key).slice(0, 100)
      : typeNameOf(key);
  throw new ExprError("missing-member", `cannot fetch ${shown} from ${typeNameOf(object)}`);
}

/** The integer of an index; undefined for other values. Numbers of payloads are floats and may be an index, too. */
function integerOf(value: ExprValue): number | undefined {
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  const index = Number(value);
  return Number.isInteger(index) ? index : undefined;
}

/** The element at an index. A negative index counts from the end. */
function elementAt<T>(items: readonly T[], index: number): T {
  const item = items[index < 0 ? index + items.length : index];
  if (item !== undefined) return item;
  const message = `index out of range: ${index} (array length is ${items.length})`;
  throw new ExprError("missing-member", message);
}

interface Bounds {
  readonly from: ExprValue | undefined;
  readonly to: ExprValue | undefined;
}

/** The part of an array or string between two indexes, which may lie outside of its bounds. */
export function sliceOf(object: ExprValue, { from, to }: Bounds, meter: StepMeter): ExprValue {
  if (!isArray(object) && typeof object !== "string") {
    throw new ExprError("invalid-operation", `cannot slice ${typeNameOf(object)}`);
  }
  meter.spendText(object.length);
  if (isArray(object)) return part(object, { from, to });
  return part(Array.from(object), { from, to }).join("");
}

function part<T>(items: readonly T[], { from, to }: Bounds): T[] {
  const start = boundOf(from ?? 0n, items.length);
  const end = boundOf(to ?? BigInt(items.length), items.length);
  return items.slice(start, Math.max(start, end));
}

function boundOf(value: ExprValue, length: number): number {
  const index = integerOf(value);
  if (index === undefined) {
    throw new ExprError("invalid-operation", `cannot slice with an index of ${typeNameOf(value)}`);
  }
  return Math.max(0, Math.min(index < 0 ? index + length : index, length));
}
