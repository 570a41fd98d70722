import { asType, callFunction, typeMismatch } from "./functions.ts";
import { bounded, fail, type RunState } from "./state.ts";
import { FEATURES } from "#numscript/features.ts";
import { PORTION_DIGITS_MAX } from "#numscript/limits.ts";
import { type Expression, unquoted, type Variable } from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";
import {
  costOf,
  type Fraction,
  fraction,
  isTooLong,
  percentage,
} from "#numscript/values/portions.ts";
import { stepsOf } from "#numscript/values/run.ts";
import { isAccountName, printValue, type Value } from "#numscript/values/values.ts";

type Binary = Extract<Expression, { kind: "binary" }>;

export function evaluate(state: RunState, expression: Expression): Value {
  state.output.spend(1);
  switch (expression.kind) {
    case "variable":
      return valueOf(state, expression);
    case "account":
      return { type: "account", name: accountName(state, expression) };
    case "asset":
      return { type: "asset", name: expression.name };
    case "number":
      return { type: "number", value: expression.value };
    case "string":
      return { type: "string", text: unquoted(expression.literal) };
    case "percentage":
      return readPercentage(state, expression);
    case "fraction":
      return divide(state, [expression.numerator, expression.denominator], expression.range);
    case "monetary": {
      const asset = evaluateAsset(state, expression.asset);
      return { type: "monetary", asset, amount: evaluateNumber(state, expression.amount) };
    }
    case "binary":
      return evaluateBinary(state, expression);
    case "negation":
      return negate(evaluate(state, expression.operand), expression.range);
    case "call": {
      if (!state.isBindingVariables) state.require(FEATURES.midScriptCall, expression.range);
      const values = expression.arguments.map((argument) => evaluate(state, argument));
      return callFunction(state, expression, values);
    }
  }
}

export const evaluateAccount = (state: RunState, expression: Expression): string =>
  asType(evaluate(state, expression), "account", expression.range).name;

export const evaluateAsset = (state: RunState, expression: Expression): string =>
  asType(evaluate(state, expression), "asset", expression.range).name;

export const evaluatePortion = (state: RunState, expression: Expression): Fraction =>
  asType(evaluate(state, expression), "portion", expression.range).value;

/** The amount of a cap or of an overdraft limit, which must be a monetary of this asset. */
export function evaluateAmountOf(state: RunState, asset: string, expression: Expression): bigint {
  const monetary = asType(evaluate(state, expression), "monetary", expression.range);
  assertAsset(asset, monetary.asset, expression.range);
  return monetary.amount;
}

const evaluateNumber = (state: RunState, expression: Expression): bigint =>
  asType(evaluate(state, expression), "number", expression.range).value;

function assertAsset(expected: string, asset: string, range: Range): void {
  if (asset === expected) return;
  const message = `Mismatched currency (expected '${expected}', got '${asset}' instead)`;
  fail("asset-mismatch", message, range);
}

const valueOf = ({ environment }: RunState, { name, range }: Variable): Value =>
  environment.get(name) ?? fail("unbound-variable", `Unbound variable: $${name}`, range);

/** The name of an account. A name without variables was checked by the parser. Joining counts as work, because variables may be long. */
function accountName(
  state: RunState,
  { pieces, range }: Extract<Expression, { kind: "account" }>,
): string {
  const [first] = pieces;
  if (pieces.length === 1 && typeof first === "string") return first;
  state.require(FEATURES.accountInterpolation, range);
  const texts = pieces.map((piece) => {
    const text = typeof piece === "string" ? piece : printPiece(valueOf(state, piece), range);
    state.output.spend(stepsOf(text));
    return text;
  });
  const name = texts.join(":");
  if (isAccountName(name)) return name;
  return fail("invalid-account", `Invalid account name: @${name}`, range);
}

function printPiece(value: Value, range: Range): string {
  if (value.type === "account" || value.type === "number" || value.type === "string") {
    return printValue(value);
  }
  return fail("type-mismatch", `Cannot cast this value to string: ${printValue(value)}`, range);
}

/** Evaluates an operation. The type of the left operand determines the type that the right operand must have. */
function evaluateBinary(state: RunState, { operator, left, right, range }: Binary): Value {
  if (operator === "/") {
    return divide(state, [evaluateNumber(state, left), evaluateNumber(state, right)], range);
  }
  const first = evaluate(state, left);
  const combine = (a: bigint, b: bigint) => bounded(operator === "+" ? a + b : a - b, range);
  switch (first.type) {
    case "number":
      return { type: "number", value: combine(first.value, evaluateNumber(state, right)) };
    case "monetary": {
      const { type, asset } = first;
      return { type, asset, amount: combine(first.amount, evaluateAmountOf(state, asset, right)) };
    }
    case "account":
    case "asset":
    case "string":
    case "portion":
      return typeMismatch(SUMMABLE, first, left.range);
  }
}

function negate(value: Value, range: Range): Value {
  if (value.type === "number") return { type: "number", value: -value.value };
  if (value.type === "monetary") return { ...value, amount: -value.amount };
  return typeMismatch(SUMMABLE, value, range);
}

const SUMMABLE = "monetary|number";

/** The portion of two integers, which need not be a valid share. */
function divide(
  state: RunState,
  [numerator, denominator]: readonly [bigint, bigint],
  range: Range,
): Value {
  if (denominator === 0n) {
    fail("division-by-zero", `cannot divide by zero (in ${numerator}/0)`, range);
  }
  state.output.spend(costOf({ numerator, denominator }));
  return portion(fraction(numerator, denominator), range);
}

function readPercentage(
  state: RunState,
  { digits, decimals, range }: Extract<Expression, { kind: "percentage" }>,
): Value {
  if (decimals > PORTION_DIGITS_MAX) return tooLong(range);
  state.output.spend(costOf({ numerator: digits, denominator: 10n ** BigInt(decimals) }));
  return portion(percentage(digits, decimals), range);
}

const portion = (value: Fraction, range: Range): Value =>
  isTooLong(value) ? tooLong(range) : { type: "portion", value };

const tooLong = (range: Range): never =>
  fail("limit-exceeded", `a portion has at most ${PORTION_DIGITS_MAX} digits`, range);
