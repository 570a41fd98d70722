import type { AccountPiece, Amount, Call, Expression } from "#numscript/syntax/ast.ts";

/** The circumstances in which an expression is printed. */
export interface PrintContext {
  /** Whether the script is for the machine, which has no parentheses and needs none. */
  readonly isMachine: boolean;
  /** Whether the expression follows another one, so that a minus at its start would be parsed as an operator. */
  readonly followsExpression: boolean;
}

/**
 * A mark after a string that ends with a backslash. A later quote on the same line would turn the backslash and the closing
 * quote into an escape. No string contains a carriage return, so that the mark is unambiguous.
 */
export const STRING_END_MARK = "\r";

type Binary = Extract<Expression, { kind: "binary" }>;
type ExpressionOf<K extends Expression["kind"]> = Extract<Expression, { kind: K }>;

/** Prints an expression on one line, with parentheses only where they are needed. */
export function printExpression(expression: Expression, context: PrintContext): string {
  const inside = { ...context, followsExpression: false };
  switch (expression.kind) {
    case "variable":
      return `$${expression.name}`;
    case "account":
      return `@${expression.pieces.map(printPiece).join(":")}`;
    case "asset":
      return expression.name;
    case "number":
      return expression.value.toString();
    case "string":
      return printString(expression.literal);
    case "percentage":
      return printPercentage(expression);
    case "fraction":
      return `${expression.numerator}/${expression.denominator}`;
    case "monetary": {
      const asset = printAsset(expression.asset, inside);
      return `[${asset}${gapBehind(asset)}${printExpression(expression.amount, inside)}]`;
    }
    case "binary":
      return printBinary(expression, context);
    case "negation": {
      const text = `-${printOperand(expression.operand, OPERAND_BINDING, inside)}`;
      return context.followsExpression ? `(${text})` : text;
    }
    case "call":
      return printCall(expression, inside);
  }
}

export function printAmount(amount: Amount, context: PrintContext): string {
  return amount.kind === "all"
    ? `[${printAsset(amount.asset, context)} *]`
    : printExpression(amount.expression, context);
}

export const printCall = ({ name, arguments: values }: Call, context: PrintContext): string =>
  `${name}(${values.map((value) => printExpression(value, context)).join(", ")})`;

export const printString = (literal: string): string =>
  literal.endsWith('\\"') ? `${literal}${STRING_END_MARK}` : literal;

const printPiece = (piece: AccountPiece): string =>
  typeof piece === "string" ? piece : `$${piece.name}`;

function printPercentage({ digits, decimals }: ExpressionOf<"percentage">): string {
  if (decimals === 0) return `${digits}%`;
  const text = digits.toString().padStart(decimals + 1, "0");
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)}%`;
}

/** The precedence of operators. Operators of equal precedence are applied from left to right. */
const BINDING = { "+": 1, "-": 1, "/": 2 } as const;
const OPERAND_BINDING = 3;

function printBinary({ operator, left, right }: Binary, context: PrintContext): string {
  const binding = BINDING[operator];
  const inside = { ...context, followsExpression: false };
  const first = printOperand(left, binding, context);
  const second = printOperand(right, binding + 1, inside);
  return operator === "/" && isFractionLike(left) && isFractionLike(right)
    ? `${first}/${second}`
    : `${first} ${operator} ${second}`;
}

/** Prints an operand, in parentheses if its precedence is below `weakest`. */
function printOperand(operand: Expression, weakest: number, context: PrintContext): string {
  if (operand.kind !== "binary" || BINDING[operand.operator] >= weakest) {
    return printExpression(operand, context);
  }
  return `(${printExpression(operand, { ...context, followsExpression: false })})`;
}

const isFractionLike = ({ kind }: Expression): boolean => kind === "number" || kind === "variable";

/** Prints the asset of a monetary. For the interpreter, a difference needs parentheses: a minus after the asset begins the amount. */
function printAsset(asset: Expression, context: PrintContext): string {
  const text = printExpression(asset, context);
  return !context.isMachine && hasOpenMinus(asset) ? `(${text})` : text;
}

/** Whether an expression is a difference, or a sum whose leftmost operand is a difference. */
function hasOpenMinus(expression: Expression): boolean {
  let node = expression;
  while (node.kind === "binary" && node.operator === "+") node = node.left;
  return node.kind === "binary" && node.operator === "-";
}

/** The gap between an asset and an amount: two blanks after an asset of the machine such as `5/`, which one blank would make a fraction. */
const gapBehind = (asset: string): string => (/(?<![A-Z/0-9])[0-9]+\/$/.test(asset) ? "  " : " ");
