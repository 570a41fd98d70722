import type { EvaluationContext } from "./context.ts";
import type { BuiltinCall } from "#expr/builtins/arguments.ts";
import * as arrays from "#expr/builtins/arrays.ts";
import * as conversion from "#expr/builtins/conversion.ts";
import * as dates from "#expr/builtins/dates.ts";
import * as numbers from "#expr/builtins/numbers.ts";
import * as strings from "#expr/builtins/strings.ts";
import type { BuiltinFunction } from "#expr/syntax/signatures.ts";
import type { StepMeter } from "#expr/values/step-meter.ts";
import type { ExprValue } from "#expr/values/values.ts";

type Builtin = (call: BuiltinCall, meter: StepMeter) => ExprValue;

const { sortValues: _, ...arrayFunctions } = arrays;

/** The implementations of built-in functions whose arguments are values. */
const BUILTINS: Readonly<Record<Exclude<BuiltinFunction, "now">, Builtin>> = {
  ...arrayFunctions,
  ...conversion,
  ...dates,
  ...numbers,
  ...strings,
};

/** Calls a built-in function. Spends a step for each element of an array argument, because most functions walk over arrays. */
export function callBuiltin(
  name: BuiltinFunction,
  args: readonly ExprValue[],
  { input, meter }: EvaluationContext,
): ExprValue {
  if (name === "now") return input.now();
  for (const arg of args) if (Array.isArray(arg)) meter.spend(arg.length);
  return BUILTINS[name]({ name, args }, meter);
}
