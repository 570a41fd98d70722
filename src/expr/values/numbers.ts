import { ExprError } from "#expr/diagnostics.ts";
import { INTEGER_BITS_MAX } from "#expr/limits.ts";

/**
 * A number: `bigint` for integers, `number` for numbers of a payload and for results of divisions and powers. Arithmetic of whole `number`s
 * is exact: a result beyond 2^53 becomes a `bigint`.
 */
export type Numeric = number | bigint;

const INTEGER_MAX = 1n << BigInt(INTEGER_BITS_MAX);

export function add(a: Numeric, b: Numeric): Numeric {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (isExact(sum, a, b)) return finite(sum);
  }
  return exactly(a, b, { integers: (a, b) => a + b, floats: (a, b) => a + b });
}

export function subtract(a: Numeric, b: Numeric): Numeric {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (isExact(difference, a, b)) return finite(difference);
  }
  return exactly(a, b, { integers: (a, b) => a - b, floats: (a, b) => a - b });
}

export function multiply(a: Numeric, b: Numeric): Numeric {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    if (isExact(product, a, b)) return finite(product);
  }
  return exactly(a, b, { integers: (a, b) => a * b, floats: (a, b) => a * b });
}

/** Whether the result of two `number`s can stay a `number`: it is a safe integer, or an operand is not. */
const isExact = (result: number, a: number, b: number): boolean =>
  Number.isSafeInteger(result) || !(Number.isSafeInteger(a) && Number.isSafeInteger(b));

interface Operation {
  readonly integers: (a: bigint, b: bigint) => bigint;
  readonly floats: (a: number, b: number) => number;
}

function exactly(a: Numeric, b: Numeric, { integers, floats }: Operation): Numeric {
  const isFloat = (value: Numeric) => typeof value === "number" && !Number.isSafeInteger(value);
  if (isFloat(a) || isFloat(b)) return finite(floats(toFloat(a), toFloat(b)));
  const result = integers(BigInt(a), BigInt(b));
  if (typeof a === "bigint" && typeof b === "bigint") return bounded(result);
  // With a number of the payload, the result is a `number` as long as it is exact.
  const float = Number(result);
  return Number.isSafeInteger(float) ? float : bounded(result);
}

export function divide(a: Numeric, b: Numeric): number {
  if (Number(b) === 0) throw new ExprError("division-by-zero", "division by zero");
  return finite(toFloat(a) / toFloat(b));
}

export function remainder(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new ExprError("division-by-zero", "integer divide by zero");
  return a % b;
}

export const power = (a: Numeric, b: Numeric): number => finite(toFloat(a) ** toFloat(b));

export function bounded(integer: bigint): bigint {
  if (integer < INTEGER_MAX && integer > -INTEGER_MAX) return integer;
  throw new ExprError("invalid-number", `an integer has at most ${INTEGER_BITS_MAX} bits`);
}

export function finite(float: number): number {
  if (Number.isFinite(float)) return float;
  throw new ExprError("invalid-number", "the result is not a finite number");
}

export const toFloat = (value: Numeric): number => finite(Number(value));
