import type { TextRange } from "#expr/source.ts";
import type { TextPattern } from "#expr/values/text-pattern.ts";

/** A node of the syntax tree. Its `range` is the part of the text that an error of the node points at: an operator, a name. */
export type Node =
  | {
      readonly kind: "literal";
      readonly value: null | boolean | bigint | number | string;
      readonly range: TextRange;
    }
  /** A variable that `let` declares, by its index among the visible variables. */
  | { readonly kind: "local"; readonly slot: number; readonly range: TextRange }
  /** A variable of the environment. */
  | { readonly kind: "name"; readonly name: string; readonly range: TextRange }
  | { readonly kind: "environment"; readonly range: TextRange }
  | {
      readonly kind: "pointer";
      readonly pointer: "element" | "index" | "acc";
      readonly range: TextRange;
    }
  | { readonly kind: "array"; readonly items: readonly Node[]; readonly range: TextRange }
  | { readonly kind: "map"; readonly entries: readonly MapEntry[]; readonly range: TextRange }
  | {
      readonly kind: "unary";
      readonly operator: UnaryOperator;
      readonly operand: Node;
      readonly range: TextRange;
    }
  | BinaryNode
  | LogicalNode
  | ComparisonNode
  | MatchNode
  | {
      readonly kind: "coalesce";
      readonly left: Node;
      readonly right: Node;
      readonly range: TextRange;
    }
  | {
      readonly kind: "conditional";
      readonly condition: Node;
      readonly whenTrue: Node;
      readonly whenFalse: Node;
      readonly range: TextRange;
    }
  | {
      readonly kind: "let";
      readonly slot: number;
      readonly value: Node;
      readonly body: Node;
      readonly range: TextRange;
    }
  | { readonly kind: "sequence"; readonly nodes: readonly Node[]; readonly range: TextRange }
  | MemberNode
  | {
      readonly kind: "slice";
      readonly object: Node;
      readonly from: Node | undefined;
      readonly to: Node | undefined;
      readonly range: TextRange;
    }
  /** A series of accesses that gives nil as soon as `?.` meets nil. */
  | { readonly kind: "chain"; readonly node: Node; readonly range: TextRange }
  | CallNode
  | PredicateCallNode
  | {
      readonly kind: "method";
      readonly object: Node;
      readonly name: string;
      readonly args: readonly Node[];
      readonly range: TextRange;
    };

export interface MapEntry {
  readonly key: Node;
  readonly value: Node;
}

export type UnaryOperator = "not" | "-" | "+";

export interface BinaryNode {
  readonly kind: "binary";
  readonly operator: BinaryOperator;
  readonly left: Node;
  readonly right: Node;
  readonly range: TextRange;
}

export type BinaryOperator =
  | ("**" | "*" | "/" | "%" | "+" | "-" | "..")
  | ("==" | "!=" | "in" | "contains" | "startsWith" | "endsWith");

/** A logical operation. Many operands of one operator are one node, so that a long list of alternatives is not nested. */
export interface LogicalNode {
  readonly kind: "logical";
  readonly operator: "and" | "or";
  readonly operands: Node[];
  readonly range: TextRange;
}

/** A chained comparison, `1 < x < 5`, which compares each operand with the next one. */
export interface ComparisonNode {
  readonly kind: "comparison";
  readonly operands: readonly Node[];
  readonly operators: readonly {
    readonly operator: ComparisonOperator;
    readonly range: TextRange;
  }[];
  readonly range: TextRange;
}

export type ComparisonOperator = "<" | ">" | "<=" | ">=";

/** A match with a regular expression, which is compiled before the evaluation if it is a literal. */
export interface MatchNode {
  readonly kind: "match";
  readonly text: Node;
  readonly pattern: Node | TextPattern;
  readonly range: TextRange;
}

export interface MemberNode {
  readonly kind: "member";
  readonly object: Node;
  readonly key: Node;
  readonly isOptional: boolean;
  readonly range: TextRange;
}

/** A call of a built-in function, or of a function of the caller. */
export interface CallNode {
  readonly kind: "call";
  readonly name: string;
  readonly args: readonly Node[];
  readonly range: TextRange;
}

/** A call of a built-in function that evaluates a predicate for each element of an array. */
export interface PredicateCallNode {
  readonly kind: "predicateCall";
  readonly name: PredicateFunction;
  readonly array: Node;
  readonly predicate: Node | undefined;
  readonly extra: Node | undefined;
  readonly range: TextRange;
}

export type PredicateFunction =
  | ("all" | "any" | "none" | "one" | "map" | "filter" | "count" | "sum" | "groupBy" | "sortBy")
  | ("find" | "findIndex" | "findLast" | "findLastIndex" | "reduce");

export interface CompiledExpression {
  readonly source: string;
  readonly root: Node;
}
