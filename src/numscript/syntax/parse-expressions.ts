import type { AccountPiece, Amount, Call, Expression } from "./ast.ts";
import { ScriptError } from "./diagnostics.ts";
import type { Range } from "./source.ts";
import { type Parser, rangeOf } from "./token-walk.ts";
import { describeToken, type Token } from "./tokens.ts";
import { NAME_LENGTH_MAX, NUMBER_DIGITS_MAX, PORTION_DIGITS_MAX } from "#numscript/limits.ts";

/** The precedence of binary operators, which are left-associative. A unary minus binds more strongly. */
const BINDING = { "+": 1, "-": 1, "/": 2 } as const;
type Operator = keyof typeof BINDING;

/** Whether a token is a binary operator. The machine has no token `/`, because its fractions are one token. */
const isOperator = (kind: Token["kind"]): kind is Operator => kind in BINDING;

/** Expression = Operand {("+" | "-" | "/") Operand} */
export function parseExpression(p: Parser): Expression {
  return parseOperators(p, parseOperand(p), 0);
}

/**
 * Parses the rest of an expression after its first operand, as long as operators bind more strongly than `weakest`
 * (precedence climbing; Richards and Whitby-Strevens, BCPL, 1979).
 */
export function parseOperators(p: Parser, first: Expression, weakest: number): Expression {
  let left = first;
  let levels = 0;
  for (;;) {
    const { kind } = p.token;
    if (!isOperator(kind) || BINDING[kind] <= weakest) break;
    // Each operator adds a level to the tree of its expression.
    p.enter();
    levels++;
    left = parseOperation(p, left, kind);
  }
  p.leave(levels);
  return left;
}

function parseOperation(p: Parser, left: Expression, operator: Operator): Expression {
  p.take();
  const right = parseOperators(p, parseOperand(p), BINDING[operator]);
  return { kind: "binary", operator, left, right, range: p.rangeFrom(left.range.start) };
}

/** Operand = interpreter: "-" Operand | Primary */
function parseOperand(p: Parser): Expression {
  if (p.isMachine || !p.at("-")) return parsePrimary(p);
  const { start } = p.take();
  p.enter();
  const operand = parseOperand(p);
  p.leave();
  return { kind: "negation", operand, range: p.rangeFrom(start) };
}

/** Primary = Account | Asset | Number | String | Percentage | Fraction | Variable | Monetary | interpreter: Call | "(" Expression ")" */
function parsePrimary(p: Parser): Expression {
  const { kind, start, end, text } = p.token;
  const range = { start, end };
  switch (kind) {
    case "variable":
      p.take();
      return { kind, name: text.slice(1), range };
    case "account":
      return parseAccount(p);
    case "asset":
      assertNameLength(text, range);
      p.take();
      return { kind, name: text, range };
    case "number":
      p.take();
      return { kind, value: toInteger(p, text.replaceAll("_", ""), NUMBER_DIGITS_MAX), range };
    case "string":
      p.take();
      return { kind, literal: text, range };
    case "percentage":
      return parsePercentage(p);
    case "fraction":
      return parseFraction(p);
    case "[": {
      const bracket = parseBracket(p);
      return bracket.kind === "all" ? misplacedAll(bracket) : bracket;
    }
    case "(":
      return parseGroup(p);
    case "identifier":
    case "overdraft":
      return parseCall(p);
    default:
      return p.fail("an expression");
  }
}

function misplacedAll({ range }: Amount): never {
  throw new ScriptError("syntax", "unexpected-token", {
    message: "expected an amount, found '*': all of an asset can be sent and saved only",
    range,
  });
}

/** interpreter: "(" Expression ")" */
function parseGroup(p: Parser): Expression {
  if (p.isMachine) p.fail("an expression");
  p.take();
  p.enter();
  const expression = parseExpression(p);
  p.leave();
  p.expect(")");
  return expression;
}

/** Account = "@" Piece {":" Piece}. For the machine, an account is one token. */
function parseAccount(p: Parser): Expression {
  const { start } = p.token;
  const pieces: AccountPiece[] = [];
  do {
    const { text, ...place } = p.take();
    const name = text.slice(1);
    pieces.push(
      name.startsWith("$")
        ? {
            kind: "variable",
            name: name.slice(1),
            range: { start: place.start + 1, end: place.end },
          }
        : name,
    );
  } while (p.at("accountPiece"));
  const range = p.rangeFrom(start);
  const names = joined(pieces);
  for (const piece of names) assertNameLength(typeof piece === "string" ? piece : "", range);
  return { kind: "account", pieces: names, range };
}

/** Joins the pieces of a name without variables to one piece. */
function joined(pieces: readonly AccountPiece[]): readonly AccountPiece[] {
  const names = pieces.filter((piece) => typeof piece === "string");
  return names.length === pieces.length ? [names.join(":")] : pieces;
}

function assertNameLength(name: string, range: Range): void {
  if (name.length <= NAME_LENGTH_MAX) return;
  const message = `a name has at most ${NAME_LENGTH_MAX} characters`;
  throw new ScriptError("syntax", "limit-exceeded", { message, range });
}

function parsePercentage(p: Parser): Expression {
  const { start, end, text } = p.token;
  const [whole = "", decimals = ""] = text.slice(0, -1).split(".");
  const digits = toInteger(p, whole + decimals, PORTION_DIGITS_MAX);
  p.take();
  return { kind: "percentage", digits, decimals: decimals.length, range: { start, end } };
}

function parseFraction(p: Parser): Expression {
  const { start, end, text } = p.token;
  const [numerator = "", denominator = ""] = text.split("/");
  const expression: Expression = {
    kind: "fraction",
    numerator: toInteger(p, numerator.trim(), PORTION_DIGITS_MAX),
    denominator: toInteger(p, denominator.trim(), PORTION_DIGITS_MAX),
    range: { start, end },
  };
  p.take();
  return expression;
}

function toInteger(p: Parser, digits: string, digitsMax: number): bigint {
  if (digits.length > digitsMax) {
    throw new ScriptError("syntax", "limit-exceeded", {
      message: `a number has at most ${digitsMax} digits here, this one has ${digits.length}`,
      range: rangeOf(p.token),
    });
  }
  return BigInt(digits);
}

/**
 * machine: Monetary = "[" Expression Number "]"
 * interpreter: Monetary = "[" Asset Expression "]"
 * Both: All = "[" Asset "*" "]"
 */
export function parseBracket(p: Parser): Expression | Extract<Amount, { kind: "all" }> {
  const { start } = p.expect("[");
  p.enter();
  const asset = p.isMachine ? parseExpression(p) : parseAssetOperand(p);
  if (p.accept("*")) {
    p.expect("]");
    p.leave();
    return { kind: "all", asset, range: p.rangeFrom(start) };
  }
  if (p.isMachine && !p.at("number")) p.fail("a number or '*'");
  const amount = p.isMachine ? parsePrimary(p) : parseExpression(p);
  p.expect("]");
  p.leave();
  return { kind: "monetary", asset, amount, range: p.rangeFrom(start) };
}

/** Parses the asset of a monetary. A minus after the asset begins the amount: `[USD/2 -5]`. */
function parseAssetOperand(p: Parser): Expression {
  let asset = parseOperand(p);
  let levels = 0;
  for (;;) {
    const { kind } = p.token;
    if (kind !== "+" && kind !== "/") break;
    p.enter();
    levels++;
    asset = parseOperation(p, asset, kind);
  }
  p.leave(levels);
  return asset;
}

/** The kind of an argument for the machine: any expression, or a string literal. */
type Argument = "any" | "string";

/**
 * Call = Name "(" [Expression {"," Expression}] ")". For the machine, the grammar also determines the number of
 * arguments, and which of them are string literals.
 */
export function parseCall(p: Parser, signature?: readonly Argument[]): Call {
  const name = p.take();
  if (name.kind === "identifier" && !p.at("(")) p.fail(`'(' after the name ${describeToken(name)}`);
  p.expect("(");
  p.enter();
  const values: Expression[] = [];
  if (signature === undefined) {
    if (!p.at(")")) {
      do values.push(parseExpression(p));
      while (p.accept(","));
    }
  } else {
    for (const [index, argument] of signature.entries()) {
      if (index > 0) p.expect(",");
      if (argument === "string" && !p.at("string")) p.fail("a string");
      values.push(argument === "string" ? parsePrimary(p) : parseExpression(p));
    }
  }
  p.expect(")");
  p.leave();
  return {
    kind: "call",
    name: name.text,
    nameRange: { start: name.start, end: name.end },
    arguments: values,
    range: p.rangeFrom(name.start),
  };
}
