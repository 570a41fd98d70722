import type { Frame } from "./context.ts";
import { truthOf } from "./operators.ts";
import { sortValues } from "#expr/builtins/arrays.ts";
import { ExprError } from "#expr/diagnostics.ts";
import type { PredicateFunction } from "#expr/syntax/ast.ts";
import { add } from "#expr/values/numbers.ts";
import type { StepMeter } from "#expr/values/step-meter.ts";
import { isArray, isNumber, load, typeNameOf, type ExprValue } from "#expr/values/values.ts";

interface PredicateCall {
  readonly name: PredicateFunction;
  readonly array: ExprValue;
  readonly extra: ExprValue | undefined;
  readonly frame: Frame;
  /** Evaluates the predicate for the element of the frame. */
  readonly each: (() => ExprValue) | undefined;
}

/** Calls a built-in function that evaluates a predicate for each element of an array. */
export function callPredicate(call: PredicateCall, meter: StepMeter): ExprValue {
  const { name, array } = call;
  if (!isArray(array)) {
    const message = `builtin ${name} takes only array (got ${typeNameOf(array)})`;
    throw new ExprError("invalid-argument", message);
  }
  meter.spend(array.length);
  const of = (index: number): ExprValue => {
    call.frame.element = load(array[index]);
    call.frame.index = index;
    return call.each === undefined ? call.frame.element : load(call.each());
  };
  const holds = (_: ExprValue, index: number): boolean => truthOf(of(index));
  switch (name) {
    case "all":
      return array.every(holds);
    case "any":
      return array.some(holds);
    case "none":
      return !array.some(holds);
    case "one":
      return array.filter(holds).length === 1;
    case "filter":
      return array.filter(holds);
    case "map":
      return array.map((_, index) => of(index));
    case "count":
      return BigInt(array.filter(holds).length);
    case "find":
      return elementAt(array, array.findIndex(holds));
    case "findIndex":
      return BigInt(array.findIndex(holds));
    case "findLast":
      return elementAt(array, array.findLastIndex(holds));
    case "findLastIndex":
      return BigInt(array.findLastIndex(holds));
    case "sum":
      return sum(array.map((_, index) => of(index)));
    case "groupBy":
      return groupBy(array, of);
    case "sortBy":
      return sortBy(call, array, of);
    case "reduce":
      return reduce(call, array, of);
  }
}

const elementAt = (array: readonly ExprValue[], index: number): ExprValue => load(array[index]);

type Of = (index: number) => ExprValue;

function sum(values: readonly ExprValue[]): ExprValue {
  let total: number | bigint = 0n;
  for (const value of values) {
    if (!isNumber(value)) {
      throw new ExprError("invalid-argument", `cannot sum values of ${typeNameOf(value)}`);
    }
    total = add(total, value);
  }
  return total;
}

function groupBy(array: readonly ExprValue[], of: Of): ExprValue {
  const groups = new Map<ExprValue, ExprValue[]>();
  for (const [index, element] of array.entries()) {
    const key = of(index);
    if (typeof key === "object" && key !== null) {
      throw new ExprError("invalid-argument", `cannot group by values of ${typeNameOf(key)}`);
    }
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [load(element)]);
    else group.push(load(element));
  }
  return groups;
}

function sortBy({ extra }: PredicateCall, array: readonly ExprValue[], of: Of): ExprValue {
  const keyed = array.map((element, index) => ({ key: of(index), value: load(element) }));
  return sortValues(keyed, extra);
}

/** Reduces an array. The default of the initial value is the first element. */
function reduce({ frame, extra }: PredicateCall, array: readonly ExprValue[], of: Of): ExprValue {
  if (extra === undefined && array.length === 0) {
    throw new ExprError("invalid-argument", "reduce of empty array with no initial value");
  }
  frame.acc = extra ?? elementAt(array, 0);
  for (let index = extra === undefined ? 1 : 0; index < array.length; index++) {
    frame.acc = of(index);
  }
  return frame.acc;
}
