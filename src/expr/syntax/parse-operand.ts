import type { MapEntry, Node, UnaryOperator } from "./ast.ts";
import { parseArguments, parseCall } from "./parse-call.ts";
import { type ExprParser, rangeOf } from "./token-walk.ts";
import { RESERVED_WORDS, type ExprToken } from "./tokens.ts";
import { ExprError } from "#expr/diagnostics.ts";

const SIGN_PRECEDENCE = 90;
const NOT_PRECEDENCE = 50;

/** Operand = ( "-" | "+" ) Operation | ( "not" | "!" ) Operation | Primary { Access } */
export function parseOperand(p: ExprParser): Node {
  const unary = unaryAt(p);
  if (unary === undefined) return parseAccesses(p, parsePrimary(p));
  p.enter();
  const range = rangeOf(p.take());
  const precedence = unary === "not" ? NOT_PRECEDENCE : SIGN_PRECEDENCE;
  const operand = p.parse.operation(p, precedence);
  p.leave();
  return { kind: "unary", operator: unary, operand, range };
}

function unaryAt(p: ExprParser): UnaryOperator | undefined {
  if (p.atWord("not") || p.atSign("!")) return "not";
  if (p.atSign("-")) return "-";
  return p.atSign("+") ? "+" : undefined;
}

/** Pipe = name [ "(" Arguments ")" ] { Access }, where the left side of "|" is the first argument */
export function parsePipe(p: ExprParser, left: Node): Node {
  const { token } = p;
  if (token.kind !== "word" || RESERVED_WORDS.has(token.value)) return p.fail("a function");
  p.take();
  return parseAccesses(p, parseCall(p, { name: token.value, range: rangeOf(token), first: left }));
}

/** Primary = "(" Sequence ")" | Literal | Array | Map | Pointer | name | Call */
function parsePrimary(p: ExprParser): Node {
  const { token } = p;
  const range = rangeOf(token);
  switch (token.kind) {
    case "integer":
    case "float":
    case "string":
      p.take();
      return { kind: "literal", value: token.value, range };
    case "word":
      return parseWord(p, token);
    case "sign":
      return parseSigned(p, token);
    case "end":
      return p.fail();
  }
}

function parseSigned(p: ExprParser, token: ExprToken & { kind: "sign" }): Node {
  switch (token.value) {
    case "(": {
      p.take();
      const node = p.parse.sequence(p);
      p.expect(")");
      // The chain node keeps parenthesised operands out of the operand list of an outer operator.
      return node.kind === "logical" ? { kind: "chain", node, range: node.range } : node;
    }
    case "[":
      return parseArray(p);
    case "{":
      return parseMap(p);
    case "#":
      return parsePointer(p);
    case ".": {
      // `.name` in a predicate is the member of the current element.
      assertInPredicate(p, token);
      return { kind: "pointer", pointer: "element", range: rangeOf(token) };
    }
    default:
      return p.fail();
  }
}

function parseWord(p: ExprParser, token: ExprToken & { kind: "word" }): Node {
  const range = rangeOf(token);
  const { value: name } = token;
  const literals: Readonly<Record<string, boolean | null>> = {
    true: true,
    false: false,
    nil: null,
  };
  const literal = Object.hasOwn(literals, name) ? literals[name] : undefined;
  if (literal === undefined && RESERVED_WORDS.has(name)) return p.fail();
  p.take();
  if (literal !== undefined) return { kind: "literal", value: literal, range };
  if (p.atSign("(")) return parseCall(p, { name, range, first: undefined });
  if (name === "$env") return { kind: "environment", range };
  const slot = p.locals.lastIndexOf(name);
  return slot === -1 ? { kind: "name", name, range } : { kind: "local", slot, range };
}

/** Pointer = "#" [ "index" | "acc" ] */
function parsePointer(p: ExprParser): Node {
  const sign = p.take();
  assertInPredicate(p, sign);
  const { token } = p;
  if (token.kind !== "word" || token.start !== sign.end || RESERVED_WORDS.has(token.value)) {
    return { kind: "pointer", pointer: "element", range: rangeOf(sign) };
  }
  p.take();
  const range = { start: sign.start, end: token.end };
  const { value } = token;
  if (value === "index" || value === "acc") return { kind: "pointer", pointer: value, range };
  throw new ExprError("invalid-pointer", `unknown pointer #${value}`, range);
}

function assertInPredicate(p: ExprParser, token: ExprToken): void {
  if (p.predicates > 0) return;
  const message = "cannot use pointer accessor outside predicate";
  throw new ExprError("invalid-pointer", message, rangeOf(token));
}

/** Array = "[" [ Expression { "," Expression } [ "," ] ] "]" */
function parseArray(p: ExprParser): Node {
  const range = rangeOf(p.take());
  const items: Node[] = [];
  while (!p.atSign("]")) {
    items.push(p.parse.expression(p));
    if (!p.accept(",")) break;
  }
  p.expect("]");
  return { kind: "array", items, range };
}

/** Map = "{" [ Entry { "," Entry } [ "," ] ] "}"; Entry = ( name | string | number | "(" Expression ")" ) ":" Expression */
function parseMap(p: ExprParser): Node {
  const range = rangeOf(p.take());
  const entries: MapEntry[] = [];
  while (!p.atSign("}")) {
    const key = parseMapKey(p);
    p.expect(":");
    entries.push({ key, value: p.parse.expression(p) });
    if (!p.accept(",")) break;
  }
  p.expect("}");
  return { kind: "map", entries, range };
}

function parseMapKey(p: ExprParser): Node {
  const { token } = p;
  const range = rangeOf(token);
  switch (token.kind) {
    case "word":
    case "string":
      p.take();
      return { kind: "literal", value: token.value, range };
    case "integer":
    case "float":
      p.take();
      return { kind: "literal", value: String(token.value), range };
    case "sign":
      if (!p.atSign("(")) break;
      p.take();
      return closeKey(p);
    case "end":
      break;
  }
  return p.fail("a key of a map: a name, a string, a number or an expression in parentheses");
}

function closeKey(p: ExprParser): Node {
  const key = p.parse.expression(p);
  p.expect(")");
  return key;
}

/** Access = ( "." | "?." ) name [ "(" Arguments ")" ] | [ "?." ] "[" Index "]" */
function parseAccesses(p: ExprParser, first: Node): Node {
  let node = first;
  let levels = 0;
  let isChain = false;
  while (p.atSign(".") || p.atSign("?.") || p.atSign("[")) {
    p.enter();
    levels++;
    const isOptional = p.atSign("?.");
    isChain ||= isOptional;
    node = parseAccess(p, node, isOptional);
  }
  p.leave(levels);
  return isChain ? { kind: "chain", node, range: node.range } : node;
}

function parseAccess(p: ExprParser, object: Node, isOptional: boolean): Node {
  const sign = p.take();
  if (sign.kind === "sign" && sign.value === "[")
    return parseIndex(p, object, { isOptional, sign });
  if (isOptional && p.atSign("[")) return parseIndex(p, object, { isOptional, sign: p.take() });
  const { token } = p;
  if (token.kind !== "word") return p.fail("a name");
  p.take();
  const range = rangeOf(token);
  if (p.atSign("(")) {
    return { kind: "method", object, name: token.value, args: parseArguments(p), range };
  }
  const key: Node = { kind: "literal", value: token.value, range };
  return { kind: "member", object, key, isOptional, range };
}

/** Index = Expression | [ Expression ] ":" [ Expression ] */
function parseIndex(
  p: ExprParser,
  object: Node,
  { isOptional, sign }: { readonly isOptional: boolean; readonly sign: ExprToken },
): Node {
  const range = rangeOf(sign);
  const from = p.atSign(":") ? undefined : p.parse.expression(p);
  if (p.accept(":")) {
    const to = p.atSign("]") ? undefined : p.parse.expression(p);
    p.expect("]");
    return { kind: "slice", object, from, to, range };
  }
  p.expect("]");
  if (from === undefined) return p.fail("an index");
  return { kind: "member", object, key: from, isOptional, range };
}
