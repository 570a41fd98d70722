import type { CompiledExpression, Node } from "./syntax/ast.ts";
import { isMap, isNumber, isObject, memberOf, type ExprValue } from "./values/values.ts";

/** A test at the beginning of an expression: whether a member of a variable equals a literal. */
export interface EqualityTest {
  /** The names of the members from the variable to the tested member; at least one. */
  readonly path: readonly string[];
  /** The literal, as `equalityKey` writes it. */
  readonly key: string;
  /** Whether the expression consists of the test alone. */
  readonly isWhole: boolean;
}

/**
 * The test at the beginning of an expression, as in `event.type == "PAY-IN"` and `event.a.b == 1 && …`; undefined if the expression begins
 * otherwise. The expression is false if the member exists and differs, and fails if a part of the path is missing.
 */
export function leadingEquality(
  { root }: CompiledExpression,
  variable: string,
): EqualityTest | undefined {
  let first = root;
  while (first.kind === "logical" && first.operator === "and") {
    const [operand] = first.operands;
    if (operand === undefined) return undefined;
    first = operand;
  }
  if (first.kind !== "binary" || first.operator !== "==") return undefined;
  const { left, right } = first;
  const [path, literal] = right.kind === "literal" ? [left, right] : [right, left];
  if (literal.kind !== "literal") return undefined;
  const names = namesOf(path, variable);
  const key = equalityKey(literal.value);
  if (names === undefined || names.length === 0 || key === undefined) return undefined;
  return { path: names, key, isWhole: first === root };
}

/** The names of `variable.a.b`; undefined for any other node, also for accesses with `?.`, which never fail. */
function namesOf(node: Node, variable: string): string[] | undefined {
  const names: string[] = [];
  let at = node;
  while (at.kind === "member") {
    const { object, key, isOptional } = at;
    if (isOptional || key.kind !== "literal" || typeof key.value !== "string") return undefined;
    names.unshift(key.value);
    at = object;
  }
  return at.kind === "name" && at.name === variable ? names : undefined;
}

/** The result of following a test's path through a value: the key of the member, or a failure if the path ends before. */
export type MemberKey =
  | { readonly kind: "found"; readonly key: string | undefined }
  | { readonly kind: "fails" };

/** Follows the path of a test from the value of the variable to the member, as an evaluation does. */
export function memberKeyAt(value: ExprValue, path: readonly string[]): MemberKey {
  let at = value;
  for (const name of path) {
    if (!isMap(at) && !isObject(at)) return { kind: "fails" };
    at = memberOf(at, name);
  }
  return { kind: "found", key: equalityKey(at) };
}

/** A text that is equal for equal values and different for different ones; undefined for collections and dates, which no literal equals. */
function equalityKey(value: ExprValue): string | undefined {
  if (typeof value === "string") return `s${value}`;
  if (value === null || typeof value === "boolean") return String(value);
  if (!isNumber(value)) return undefined;
  const isInteger = typeof value === "bigint" || Number.isInteger(value);
  return isInteger ? `n${BigInt(value)}` : `n${value}`;
}
