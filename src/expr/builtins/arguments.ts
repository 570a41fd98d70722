import { ExprError } from "#expr/diagnostics.ts";
import {
  isNumber,
  type ExprValue,
  isArray,
  isMap,
  isObject,
  typeOf,
  type JsonMap,
} from "#expr/values/values.ts";

/**
 * Readers of the arguments of built-in functions. A place counts from 0. All readers throw `ExprError` (`invalid-argument`) for a value of
 * another type, null included, and for an absent argument.
 */

/** A call of a built-in function: its name, for messages, and its arguments. */
export interface BuiltinCall {
  readonly name: string;
  readonly args: readonly ExprValue[];
}

/** Throws the error of an argument with an unfit value. */
export function refuseArgument({ name, args }: BuiltinCall, place: number): never {
  const type = typeOf(args[place] ?? null);
  throw new ExprError("invalid-argument", `invalid argument for ${name} (type ${type})`);
}

export function textAt(call: BuiltinCall, place: number): string {
  const value = call.args[place];
  return typeof value === "string" ? value : refuseArgument(call, place);
}

/** A text argument; undefined if the argument is absent, but not if it is null. */
export function optionalTextAt(call: BuiltinCall, place: number): string | undefined {
  return call.args[place] === undefined ? undefined : textAt(call, place);
}

export function arrayAt(call: BuiltinCall, place: number): readonly ExprValue[] {
  const value = call.args[place] ?? null;
  return isArray(value) ? value : refuseArgument(call, place);
}

export function mapAt(
  call: BuiltinCall,
  place: number,
): JsonMap | ReadonlyMap<ExprValue, ExprValue> {
  const value = call.args[place] ?? null;
  return isMap(value) || isObject(value) ? value : refuseArgument(call, place);
}

export function numberAt(call: BuiltinCall, place: number): number | bigint {
  const value = call.args[place] ?? null;
  return isNumber(value) ? value : refuseArgument(call, place);
}

/** An integer argument. A float without a fraction, such as a number of the payload, counts as an integer. */
export function integerAt(call: BuiltinCall, place: number): bigint {
  const value = numberAt(call, place);
  if (typeof value === "bigint") return value;
  return Number.isInteger(value) ? BigInt(value) : refuseArgument(call, place);
}

/** An argument that counts repetitions or elements: a safe integer of at least 0. The caller's step meter refuses counts that are too large. */
export function countAt(call: BuiltinCall, place: number): number {
  const count = Number(integerAt(call, place));
  return count >= 0 && Number.isSafeInteger(count) ? count : refuseArgument(call, place);
}
