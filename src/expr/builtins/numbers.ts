import { type BuiltinCall, integerAt, numberAt, refuseArgument, textAt } from "./arguments.ts";
import { ExprError } from "#expr/diagnostics.ts";
import { INTEGER_BITS_MAX, LITERAL_DIGITS_MAX } from "#expr/limits.ts";
import { bounded, finite, toFloat } from "#expr/values/numbers.ts";
import { isNumber, type ExprValue } from "#expr/values/values.ts";

export function abs(call: BuiltinCall): ExprValue {
  const value = numberAt(call, 0);
  return value < 0 ? -value : value;
}

/** Makes a rounding function. The result is a float, but an integer that no float holds exactly stays an integer. */
const rounded =
  (round: (value: number) => number) =>
  (call: BuiltinCall): ExprValue => {
    const value = numberAt(call, 0);
    if (typeof value === "number") return round(value);
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  };

export const ceil = rounded(Math.ceil);
export const floor = rounded(Math.floor);
/** Rounds to the nearest integer, halves away from zero. */
export const round = rounded((value) => Math.sign(value) * Math.round(Math.abs(value)));

const INTEGER = /^[+-]?\d+$/;

/** Converts a text or a number to an integer. The fraction of a number is cut off. */
export function int(call: BuiltinCall): ExprValue {
  const value = call.args[0] ?? null;
  if (isNumber(value)) return BigInt(typeof value === "number" ? Math.trunc(value) : value);
  const text = textAt(call, 0);
  if (!INTEGER.test(text) || text.length > LITERAL_DIGITS_MAX) {
    const message = `invalid operation: int(${quoted(text)})`;
    throw new ExprError("invalid-argument", message);
  }
  return BigInt(text.replace("+", ""));
}

const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

export function float(call: BuiltinCall): ExprValue {
  const value = call.args[0] ?? null;
  if (isNumber(value)) return toFloat(value);
  const text = textAt(call, 0);
  if (!FLOAT.test(text)) {
    throw new ExprError("invalid-argument", `invalid operation: float(${quoted(text)})`);
  }
  return finite(Number(text));
}

const quoted = (text: string): string => `"${text.slice(0, 60)}"`;

const bitwise =
  (operate: (a: bigint, b: bigint) => bigint) =>
  (call: BuiltinCall): ExprValue =>
    operate(integerAt(call, 0), integerAt(call, 1));

export const bitand = bitwise((a, b) => a & b);
export const bitor = bitwise((a, b) => a | b);
export const bitxor = bitwise((a, b) => a ^ b);
/** Clears in the first integer the bits of the second. */
export const bitnand = bitwise((a, b) => a & ~b);
export const bitnot = (call: BuiltinCall): ExprValue => ~integerAt(call, 0);

export const bitshl = (call: BuiltinCall): ExprValue =>
  bounded(integerAt(call, 0) << shiftAt(call));
export const bitshr = (call: BuiltinCall): ExprValue => integerAt(call, 0) >> shiftAt(call);
/** Shifts the 64 bits of an integer to the right, without its sign. */
export const bitushr = (call: BuiltinCall): ExprValue => {
  const value = integerAt(call, 0);
  return (value < 0n ? BigInt.asUintN(64, value) : value) >> shiftAt(call);
};

function shiftAt(call: BuiltinCall): bigint {
  const shift = integerAt(call, 1);
  return shift >= 0n && shift <= INTEGER_BITS_MAX ? shift : refuseArgument(call, 1);
}
