import type { BinaryOperator, ComparisonOperator, Node } from "./ast.ts";
import { parseOperand, parsePipe } from "./parse-operand.ts";
import { type ExprParser, rangeOf } from "./token-walk.ts";
import { ExprError } from "#expr/diagnostics.ts";
import type { TextRange } from "#expr/source.ts";
import { TextPattern } from "#expr/values/text-pattern.ts";
import { PatternError } from "#platform/patterns/pattern-tree.ts";

/** The precedence of operators. A higher number binds more tightly. */
const PRECEDENCE: Readonly<Record<string, number>> = {
  "|": 0,
  or: 10,
  "||": 10,
  and: 15,
  "&&": 15,
  "==": 20,
  "!=": 20,
  "<": 20,
  ">": 20,
  "<=": 20,
  ">=": 20,
  in: 20,
  matches: 20,
  contains: 20,
  startsWith: 20,
  endsWith: 20,
  "..": 25,
  "+": 30,
  "-": 30,
  "*": 60,
  "/": 60,
  "%": 60,
  "**": 100,
  "^": 100,
  "??": 500,
};
const NEGATABLE: ReadonlySet<string> = new Set([
  "in",
  "matches",
  "contains",
  "startsWith",
  "endsWith",
]);

interface Context {
  readonly precedenceMin: number;
  /** Whether the operation is the operand of another operator. */
  readonly isOperand: boolean;
}

interface Operator {
  readonly name: string;
  readonly precedence: number;
  readonly isNegated: boolean;
}

/**
 * Operation = Operand { operator Operand }, by precedence climbing (M. Richards and C. Whitby-Strevens, "BCPL: The Language and its
 * Compiler", 1979)
 */
export function parseOperation(p: ExprParser, context: Context): Node {
  let left = parseOperand(p);
  let levels = 0;
  let previous: string | undefined;
  for (;;) {
    const operator = operatorAt(p);
    if (operator === undefined || operator.precedence < context.precedenceMin) break;
    assertNotMixed(p, operator.name, { previous, isOperand: context.isOperand });
    p.enter();
    levels++;
    const range = takeOperator(p, operator);
    const node = parseRest(p, left, { ...operator, range });
    left = operator.isNegated ? { kind: "unary", operator: "not", operand: node, range } : node;
    previous = operator.name;
    if (left.kind === "logical") {
      p.leave();
      levels--;
    }
  }
  p.leave(levels);
  return left;
}

function operatorAt(p: ExprParser): Operator | undefined {
  const { token, next } = p;
  if (token.kind !== "sign" && token.kind !== "word") return undefined;
  const isNegated = p.atWord("not") && next.kind === "word" && NEGATABLE.has(next.value);
  const name = isNegated && next.kind === "word" ? next.value : token.value;
  const precedence = Object.hasOwn(PRECEDENCE, name) ? PRECEDENCE[name] : undefined;
  return precedence === undefined ? undefined : { name, precedence, isNegated };
}

function takeOperator(p: ExprParser, { isNegated }: Operator): TextRange {
  const range = rangeOf(p.take());
  return isNegated ? { start: range.start, end: p.take().end } : range;
}

/** Throws for `??` next to another operator without parentheses: `a ?? b or c` is ambiguous. */
function assertNotMixed(
  p: ExprParser,
  name: string,
  { previous, isOperand }: { previous: string | undefined; isOperand: boolean },
): void {
  if (name === "|") return;
  const isMixed = name === "??" ? isOperand || (previous ?? "??") !== "??" : previous === "??";
  if (!isMixed) return;
  throw new ExprError(
    "mixed-coalescing",
    `Operator (${name}) and coalesce expressions (??) cannot be mixed. Wrap either by parentheses.`,
    rangeOf(p.token),
  );
}

interface Found extends Operator {
  readonly range: TextRange;
}

/** Parses the right side of an operator, and makes the node of both sides. */
function parseRest(p: ExprParser, left: Node, { name, precedence, range }: Found): Node {
  const right = (precedenceMin: number): Node =>
    parseOperation(p, { precedenceMin, isOperand: name !== "??" });
  switch (name) {
    case "|":
      return parsePipe(p, left);
    case "??":
      return { kind: "coalesce", left, right: right(precedence + 1), range };
    case "<":
    case ">":
    case "<=":
    case ">=":
      return parseComparison(p, left, { operator: name, range });
    case "and":
    case "&&":
      return logical("and", { left, right: right(precedence + 1), range });
    case "or":
    case "||":
      return logical("or", { left, right: right(precedence + 1), range });
    case "matches": {
      const pattern = right(precedence + 1);
      return { kind: "match", text: left, pattern: compileLiteralPattern(pattern), range };
    }
    case "**":
    case "^":
      return { kind: "binary", operator: "**", left, right: right(precedence), range };
    default:
      // The table of precedences contains no other operators.
      return {
        kind: "binary",
        operator: name as BinaryOperator,
        left,
        right: right(precedence + 1),
        range,
      };
  }
}

/** Compiles a literal pattern, so that it is compiled once and its mistakes are found before the evaluation. */
function compileLiteralPattern(node: Node): Node | TextPattern {
  if (node.kind !== "literal" || typeof node.value !== "string") return node;
  try {
    return new TextPattern(node.value);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ExprError("invalid-pattern", error.message, node.range);
  }
}

/** Comparison = Operand comparator Operand { comparator Operand } */
function parseComparison(
  p: ExprParser,
  left: Node,
  first: { readonly operator: ComparisonOperator; readonly range: TextRange },
): Node {
  const operators = [first];
  const operand = () => parseOperation(p, { precedenceMin: 21, isOperand: true });
  const operands = [left, operand()];
  for (let operator = comparatorAt(p); operator !== undefined; operator = comparatorAt(p)) {
    operators.push({ operator, range: rangeOf(p.take()) });
    operands.push(operand());
  }
  return { kind: "comparison", operands, operators, range: first.range };
}

function comparatorAt({ token }: ExprParser): ComparisonOperator | undefined {
  if (token.kind !== "sign") return undefined;
  const { value } = token;
  return value === "<" || value === ">" || value === "<=" || value === ">=" ? value : undefined;
}

function logical(
  operator: "and" | "or",
  { left, right, range }: { left: Node; right: Node; range: TextRange },
): Node {
  if (left.kind !== "logical" || left.operator !== operator) {
    return { kind: "logical", operator, operands: [left, right], range };
  }
  left.operands.push(right);
  return left;
}
