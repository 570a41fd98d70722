import { ExprError } from "#expr/diagnostics.ts";
import type { TextRange } from "#expr/source.ts";
import type { BinaryOperator, ComparisonOperator, UnaryOperator } from "#expr/syntax/ast.ts";
import { areEqual, hasMember, order } from "#expr/values/comparing.ts";
import { DateValue, TimeSpan } from "#expr/values/moments.ts";
import { add, divide, multiply, power, remainder, subtract } from "#expr/values/numbers.ts";
import type { StepMeter } from "#expr/values/step-meter.ts";
import { TextPattern } from "#expr/values/text-pattern.ts";
import {
  isArray,
  isMap,
  isNumber,
  isObject,
  load,
  typeNameOf,
  type ExprValue,
} from "#expr/values/values.ts";
import { PatternError } from "#platform/patterns/pattern-tree.ts";

interface Operands {
  readonly a: ExprValue;
  readonly b: ExprValue;
}

/** The value as a condition. Only booleans are conditions. */
export function truthOf(value: ExprValue): boolean {
  if (typeof value === "boolean") return value;
  const name = value === null ? "nil" : typeNameOf(value);
  throw new ExprError(
    "invalid-operation",
    `interface conversion: interface {} is ${name}, not bool`,
  );
}

export function unary(operator: UnaryOperator, value: ExprValue): ExprValue {
  if (operator === "not") return !truthOf(value);
  if (!isNumber(value) && !(value instanceof TimeSpan)) {
    throw new ExprError("invalid-operation", `invalid operation: ${operator} ${typeNameOf(value)}`);
  }
  if (operator === "+") return value;
  return value instanceof TimeSpan ? new TimeSpan(-value.nanos) : -value;
}

export function binary(operator: BinaryOperator, operands: Operands, meter: StepMeter): ExprValue {
  const { a, b } = operands;
  switch (operator) {
    case "==":
      return areEqual(a, b, meter);
    case "!=":
      return !areEqual(a, b, meter);
    case "in":
      return isIn(operands, meter);
    case "contains":
    case "startsWith":
    case "endsWith":
      return searchText(operator, operands, meter);
    case "+":
      return plus(operands, meter) ?? refuse(operator, operands);
    case "-":
      return minus(operands) ?? refuse(operator, operands);
    case "*":
      return times(operands) ?? refuse(operator, operands);
    case "/":
      return isNumber(a) && isNumber(b) ? divide(a, b) : refuse(operator, operands);
    case "**":
      return isNumber(a) && isNumber(b) ? power(a, b) : refuse(operator, operands);
    case "%":
      if (typeof a !== "bigint" || typeof b !== "bigint") return refuse(operator, operands);
      return remainder(a, b);
    case "..":
      return rangeOf(operands, meter);
  }
}

function refuse(operator: string, { a, b }: Operands): never {
  const message = `invalid operation: ${typeNameOf(a)} ${operator} ${typeNameOf(b)}`;
  throw new ExprError("invalid-operation", message);
}

function plus({ a, b }: Operands, meter: StepMeter): ExprValue | undefined {
  if (isNumber(a) && isNumber(b)) return add(a, b);
  if (typeof a === "string" && typeof b === "string") {
    meter.spendText(a.length + b.length);
    return a + b;
  }
  if (a instanceof DateValue && b instanceof TimeSpan) return a.plus(b.nanos);
  if (a instanceof TimeSpan && b instanceof DateValue) return b.plus(a.nanos);
  if (a instanceof TimeSpan && b instanceof TimeSpan) return new TimeSpan(a.nanos + b.nanos);
  return undefined;
}

function minus({ a, b }: Operands): ExprValue | undefined {
  if (isNumber(a) && isNumber(b)) return subtract(a, b);
  if (a instanceof DateValue && b instanceof DateValue) return new TimeSpan(a.nanos - b.nanos);
  if (a instanceof DateValue && b instanceof TimeSpan) return a.plus(-b.nanos);
  if (a instanceof TimeSpan && b instanceof TimeSpan) return new TimeSpan(a.nanos - b.nanos);
  return undefined;
}

function times({ a, b }: Operands): ExprValue | undefined {
  if (isNumber(a) && isNumber(b)) return multiply(a, b);
  if (a instanceof TimeSpan && isNumber(b)) return scaled(a, b);
  return isNumber(a) && b instanceof TimeSpan ? scaled(b, a) : undefined;
}

function scaled(span: TimeSpan, factor: number | bigint): TimeSpan {
  const nanos = multiply(span.nanos, factor);
  return new TimeSpan(typeof nanos === "bigint" ? nanos : BigInt(Math.trunc(nanos)));
}

/** The integers from `a` to `b`, both inclusive. */
function rangeOf(operands: Operands, meter: StepMeter): ExprValue {
  const { a, b } = operands;
  if (typeof a !== "bigint" || typeof b !== "bigint") return refuse("..", operands);
  if (b < a) return [];
  const length = Number(b - a + 1n);
  meter.spend(length);
  return Array.from({ length }, (_, index) => a + BigInt(index));
}

export function compare(
  { operator, range }: { readonly operator: ComparisonOperator; readonly range: TextRange },
  a: ExprValue,
  b: ExprValue,
): boolean {
  const result = order(a, b);
  if (result === undefined) {
    const message = `invalid operation: ${typeNameOf(a)} ${operator} ${typeNameOf(b)}`;
    throw new ExprError("invalid-operation", message, range);
  }
  switch (operator) {
    case "<":
      return result < 0;
    case "<=":
      return result <= 0;
    case ">":
      return result > 0;
    case ">=":
      return result >= 0;
  }
}

function isIn(operands: Operands, meter: StepMeter): boolean {
  const { a, b } = operands;
  if (b === null) return false;
  if (isArray(b)) {
    meter.spend(b.length);
    return b.some((item) => areEqual(a, load(item), meter));
  }
  if (isMap(b)) return hasMember(b, a);
  if (!isObject(b)) return refuse("in", operands);
  return a === null || typeof a === "string" ? hasMember(b, a) : refuse("in", operands);
}

function searchText(
  operator: "contains" | "startsWith" | "endsWith",
  operands: Operands,
  meter: StepMeter,
): boolean {
  const { a, b } = operands;
  if (a === null || b === null) return false;
  if (typeof a !== "string" || typeof b !== "string") return refuse(operator, operands);
  meter.spendText(a.length);
  if (operator === "contains") return a.includes(b);
  return operator === "startsWith" ? a.startsWith(b) : a.endsWith(b);
}

export function matches(
  text: ExprValue,
  pattern: ExprValue | TextPattern,
  meter: StepMeter,
): boolean {
  if (text === null || pattern === null) return false;
  const isPattern = pattern instanceof TextPattern;
  if (typeof text !== "string" || !(isPattern || typeof pattern === "string")) {
    return refuse("matches", { a: text, b: isPattern ? "" : pattern });
  }
  return (isPattern ? pattern : compile(pattern, meter)).matches(text, meter);
}

/** Steps for compiling a regular expression that is only known in the evaluation. */
const PATTERN_STEPS = 200;

function compile(source: string, meter: StepMeter): TextPattern {
  meter.spend(PATTERN_STEPS);
  try {
    return new TextPattern(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ExprError("invalid-pattern", error.message);
  }
}
