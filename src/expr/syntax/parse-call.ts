import type { Node, PredicateFunction } from "./ast.ts";
import {
  ARITIES,
  isBuiltinFunction,
  isPredicateFunction,
  PREDICATE_ARITIES,
} from "./signatures.ts";
import type { ExprParser } from "./token-walk.ts";
import { ExprError } from "#expr/diagnostics.ts";
import type { TextRange } from "#expr/source.ts";

interface CallStart {
  readonly name: string;
  readonly range: TextRange;
  /** The first argument, if it comes through a pipe. */
  readonly first: Node | undefined;
}

/** Call = name "(" Arguments ")". Behind a pipe, a call without further arguments needs no parentheses. */
export function parseCall(p: ExprParser, { name, range, first }: CallStart): Node {
  const before = first === undefined ? [] : [first];
  if (isPredicateFunction(name)) return parsePredicateCall(p, { name, range, first });
  const hasArguments = first === undefined || p.atSign("(");
  const args = [...before, ...(hasArguments ? parseArguments(p) : [])];
  if (isBuiltinFunction(name)) assertArity({ name, range }, args.length, ARITIES[name]);
  return { kind: "call", name, args, range };
}

/** Arguments = "(" [ Expression { "," Expression } [ "," ] ] ")" */
export function parseArguments(p: ExprParser): Node[] {
  p.expect("(");
  const args: Node[] = [];
  while (!p.atSign(")")) {
    args.push(p.parse.expression(p));
    if (!p.accept(",")) break;
  }
  p.expect(")");
  return args;
}

interface PredicateCallStart extends CallStart {
  readonly name: PredicateFunction;
}

/** PredicateCall = name "(" Expression [ "," Predicate [ "," Expression ] ] ")" */
function parsePredicateCall(p: ExprParser, { name, range, first }: PredicateCallStart): Node {
  const arity = PREDICATE_ARITIES[name];
  if (first !== undefined && !p.atSign("(")) {
    assertArity({ name, range }, 1, arity);
    return {
      kind: "predicateCall",
      name,
      array: first,
      predicate: undefined,
      extra: undefined,
      range,
    };
  }
  p.expect("(");
  const array = first ?? p.parse.expression(p);
  const isNext = () => (first !== undefined && isFirst ? !p.atSign(")") : p.accept(","));
  let isFirst = true;
  const predicate = isNext() ? parsePredicate(p) : undefined;
  isFirst = false;
  const extra = isNext() && !p.atSign(")") ? p.parse.expression(p) : undefined;
  p.expect(")");
  const count = 1 + (predicate === undefined ? 0 : 1) + (extra === undefined ? 0 : 1);
  assertArity({ name, range }, count, arity);
  return { kind: "predicateCall", name, array, predicate, extra, range };
}

/** Predicate = "{" Sequence "}" | Expression */
function parsePredicate(p: ExprParser): Node {
  p.predicates++;
  const isBlock = p.accept("{");
  const node = isBlock ? p.parse.sequence(p) : p.parse.expression(p);
  if (isBlock) p.expect("}");
  p.predicates--;
  return node;
}

function assertArity(
  { name, range }: { readonly name: string; readonly range: TextRange },
  count: number,
  [least, most]: readonly [number, number],
): void {
  if (count >= least && count <= most) return;
  const which = count < least ? "not enough" : "too many";
  throw new ExprError("wrong-arity", `${which} arguments to call ${name}`, range);
}
