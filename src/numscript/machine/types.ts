import { decodeString } from "./strings.ts";
import type { Expression, ValueType } from "#numscript/syntax/ast.ts";
import { type DiagnosticCode, ScriptError } from "#numscript/syntax/diagnostics.ts";
import type { Range } from "#numscript/syntax/source.ts";
import { type Fraction, fraction, isShare, percentage } from "#numscript/values/portions.ts";

/** The types of the variables that are declared so far, by name. */
export type VariableTypes = Map<string, ValueType>;

export function refuse(code: DiagnosticCode, message: string, range: Range): never {
  throw new ScriptError("invalid", code, { message, range });
}

/** The type of an expression, all parts of which are checked. */
export function typeOf(expression: Expression, types: VariableTypes): ValueType {
  const { kind, range } = expression;
  switch (kind) {
    case "variable": {
      const type = types.get(expression.name);
      return type ?? refuse("unbound-variable", "variable not declared", range);
    }
    case "account":
    case "asset":
    case "number":
      return kind;
    case "string":
      decodeString(expression.literal, range);
      return kind;
    case "percentage":
    case "fraction":
      portionOf(expression);
      return "portion";
    case "monetary": {
      const type = typeOf(expression.asset, types);
      if (type === "asset") return kind;
      const message = `the expression in monetary literal should be of type 'asset' instead of '${type}'`;
      return refuse("type-mismatch", message, expression.asset.range);
    }
    case "binary":
      return typeOfOperation(expression, types);
    case "negation":
    case "call":
      // The grammar of the machine does not accept these expressions here.
      return refuse("unexpected-token", "the machine has no such expression", range);
  }
}

function typeOfOperation(
  { left, right, range }: Extract<Expression, { kind: "binary" }>,
  types: VariableTypes,
): ValueType {
  const [first, second] = [typeOf(left, types), typeOf(right, types)];
  if (first !== "number" && first !== "monetary") {
    const message = `tried to do an arithmetic operation with unsupported left-hand side operand type: ${first}`;
    return refuse("type-mismatch", message, left.range);
  }
  if (first === second) return first;
  const message = `tried to do an arithmetic operation with incompatible left and right-hand side operand types: ${first} and ${second}`;
  return refuse("type-mismatch", message, range);
}

/** The value of a portion literal. Throws if it is not between 0 and 1, both included. */
export function portionOf(
  expression: Extract<Expression, { kind: "percentage" | "fraction" }>,
): Fraction {
  if (expression.kind === "fraction" && expression.denominator === 0n) {
    return refuse("invalid-portion", "invalid fractional format", expression.range);
  }
  const value =
    expression.kind === "percentage"
      ? percentage(expression.digits, expression.decimals)
      : fraction(expression.numerator, expression.denominator);
  if (isShare(value)) return value;
  const message = "portion must be between 0% and 100% inclusive";
  return refuse("invalid-portion", message, expression.range);
}
