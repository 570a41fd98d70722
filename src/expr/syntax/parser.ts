import type { CompiledExpression, Node } from "./ast.ts";
import { lex } from "./lexer.ts";
import { parseOperation } from "./parse-operation.ts";
import { isBuiltinFunction, isPredicateFunction } from "./signatures.ts";
import { ExprParser } from "./token-walk.ts";
import { RESERVED_WORDS } from "./tokens.ts";
import { ExprError } from "#expr/diagnostics.ts";
import { SOURCE_LENGTH_MAX } from "#expr/limits.ts";

/** Parses an expression. Throws `ExprError`. */
export function parse(source: string): CompiledExpression {
  if (source.length > SOURCE_LENGTH_MAX) {
    const message = `an expression has at most ${SOURCE_LENGTH_MAX} characters, this one has ${source.length}`;
    throw new ExprError("limit-exceeded", message, { start: 0, end: 0 });
  }
  const p = new ExprParser(source, lex(source), {
    expression: parseExpression,
    sequence: parseSequence,
    operation: (p, precedenceMin) => parseOperation(p, { precedenceMin, isOperand: false }),
  });
  const root = parseSequence(p);
  if (p.token.kind !== "end") p.fail();
  return { source, root };
}

/** Sequence = Expression { ";" Expression } [ ";" ]. Its value is that of the last expression. */
function parseSequence(p: ExprParser): Node {
  const first = parseExpression(p);
  if (!p.atSign(";")) return first;
  const nodes = [first];
  while (p.accept(";") && p.token.kind !== "end" && !p.atSign("}") && !p.atSign(")")) {
    nodes.push(parseExpression(p));
  }
  return { kind: "sequence", nodes, range: first.range };
}

/** Expression = Let | If | Operation { "?" [ Expression ] ":" Expression } */
function parseExpression(p: ExprParser): Node {
  p.enter();
  try {
    if (p.atWord("let")) return parseLet(p);
    if (p.atWord("if")) return parseIf(p);
    return parseConditional(p, parseOperation(p, { precedenceMin: 0, isOperand: false }));
  } finally {
    p.leave();
  }
}

function parseConditional(p: ExprParser, condition: Node): Node {
  if (!p.atSign("?")) return condition;
  const range = p.take();
  const whenTrue = p.atSign(":") ? condition : parseExpression(p);
  p.expect(":");
  const whenFalse = parseExpression(p);
  return { kind: "conditional", condition, whenTrue, whenFalse, range };
}

/** Let = "let" name "=" Expression ";" Sequence */
function parseLet(p: ExprParser): Node {
  p.take();
  const { token } = p;
  if (token.kind !== "word" || RESERVED_WORDS.has(token.value)) return p.fail("a name");
  const name = token.value;
  const isBuiltin = isBuiltinFunction(name) || isPredicateFunction(name);
  if (name.startsWith("$") || isBuiltin || p.locals.includes(name)) {
    const what = p.locals.includes(name) ? "variable" : "builtin";
    throw new ExprError("invalid-declaration", `cannot redeclare ${what} ${name}`, token);
  }
  p.take();
  p.expect("=");
  const value = parseExpression(p);
  p.expect(";");
  const slot = p.locals.length;
  p.locals.push(name);
  const body = parseSequence(p);
  p.locals.pop();
  return { kind: "let", slot, value, body, range: token };
}

/** If = "if" Expression Block "else" ( If | Block ); Block = "{" Sequence "}" */
function parseIf(p: ExprParser): Node {
  const range = p.take();
  const condition = parseExpression(p);
  const whenTrue = parseBlock(p);
  p.expectWord("else");
  const whenFalse = p.atWord("if") ? parseExpression(p) : parseBlock(p);
  return { kind: "conditional", condition, whenTrue, whenFalse, range };
}

function parseBlock(p: ExprParser): Node {
  p.expect("{");
  const node = parseSequence(p);
  p.expect("}");
  return node;
}
