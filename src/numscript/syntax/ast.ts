import type { Range } from "./source.ts";

/** The name of a runtime in requests: `machine` is the default, `experimental-interpreter` the newer one. */
export type Runtime = "machine" | "experimental-interpreter";

/** The syntax tree of a script. Parts that only one runtime knows are marked with (machine) or (interpreter). */
export interface Program {
  /** (interpreter) The names in `#![feature("a", "b")]`, without quotes. */
  readonly features: readonly Feature[];
  readonly variables: readonly VariableDeclaration[];
  readonly statements: readonly Statement[];
}

export interface Feature {
  readonly name: string;
  readonly range: Range;
}

export interface VariableDeclaration {
  /** The text of the type. In a script for the interpreter it need not be a valid type. */
  readonly type: string;
  readonly typeRange: Range;
  /** The name without `$`. */
  readonly name: string;
  /** The range of the name, with `$`. */
  readonly nameRange: Range;
  readonly origin?: Expression;
  readonly range: Range;
}

export type Statement =
  | {
      readonly kind: "send";
      readonly amount: Amount;
      readonly source: Source;
      readonly destination: Destination;
      readonly range: Range;
    }
  | {
      readonly kind: "save";
      readonly amount: Amount;
      readonly account: Expression;
      readonly range: Range;
    }
  | { readonly kind: "call"; readonly call: Call; readonly range: Range }
  /** (machine) `print` */
  | { readonly kind: "print"; readonly expression: Expression; readonly range: Range }
  /** (machine) `fail` */
  | { readonly kind: "fail"; readonly range: Range };

export type SendStatement = Extract<Statement, { kind: "send" }>;
export type SaveStatement = Extract<Statement, { kind: "save" }>;

/** `[C 10]` or any monetary expression, or `[C *]`. */
export type Amount =
  | { readonly kind: "exact"; readonly expression: Expression; readonly range: Range }
  | { readonly kind: "all"; readonly asset: Expression; readonly range: Range };

export type Source =
  | {
      readonly kind: "account";
      readonly account: Expression;
      /** (interpreter) `\ "RED"` */
      readonly color?: Expression;
      readonly overdraft?: Overdraft;
      readonly range: Range;
    }
  | {
      readonly kind: "max";
      readonly cap: Expression;
      readonly source: Source;
      readonly range: Range;
    }
  | { readonly kind: "inOrder"; readonly sources: readonly Source[]; readonly range: Range }
  /** (interpreter) `oneof { … }` */
  | { readonly kind: "oneOf"; readonly sources: readonly Source[]; readonly range: Range }
  | {
      readonly kind: "allotment";
      readonly branches: readonly SourceBranch[];
      readonly range: Range;
    }
  /** (interpreter) `@a with scaling through @b` */
  | {
      readonly kind: "scaling";
      readonly account: Expression;
      readonly through: Expression;
      readonly range: Range;
    };

export type Overdraft =
  | { readonly kind: "unbounded"; readonly range: Range }
  | { readonly kind: "upTo"; readonly limit: Expression; readonly range: Range };

export interface SourceBranch {
  readonly share: Share;
  readonly source: Source;
  readonly range: Range;
}

export type Share =
  | { readonly kind: "portion"; readonly expression: Expression; readonly range: Range }
  | { readonly kind: "remaining"; readonly range: Range };

export type Destination =
  | { readonly kind: "account"; readonly account: Expression; readonly range: Range }
  | CappedDestination
  | {
      readonly kind: "allotment";
      readonly branches: readonly DestinationBranch[];
      readonly range: Range;
    };

/**
 * Clauses with caps. `inOrder`: clauses take money in order. `oneOf` (interpreter): only the first clause that can take
 * everything is used.
 */
export interface CappedDestination {
  readonly kind: "inOrder" | "oneOf";
  readonly clauses: readonly CappedClause[];
  readonly remaining: KeptOrDestination;
  readonly range: Range;
}

export interface CappedClause {
  readonly cap: Expression;
  readonly target: KeptOrDestination;
  readonly range: Range;
}

export interface DestinationBranch {
  readonly share: Share;
  readonly target: KeptOrDestination;
  readonly range: Range;
}

export type KeptOrDestination =
  | { readonly kind: "to"; readonly destination: Destination; readonly range: Range }
  | { readonly kind: "kept"; readonly range: Range };

export type Expression =
  | Variable
  | { readonly kind: "account"; readonly pieces: readonly AccountPiece[]; readonly range: Range }
  | { readonly kind: "asset"; readonly name: string; readonly range: Range }
  | { readonly kind: "number"; readonly value: bigint; readonly range: Range }
  /** The literal with its quotes, because the runtimes read escapes differently. */
  | { readonly kind: "string"; readonly literal: string; readonly range: Range }
  /** `12.50%` is 1250 with 2 decimals. */
  | {
      readonly kind: "percentage";
      readonly digits: bigint;
      readonly decimals: number;
      readonly range: Range;
    }
  /** (machine) `1/3`, one token. The interpreter parses it as a division. */
  | {
      readonly kind: "fraction";
      readonly numerator: bigint;
      readonly denominator: bigint;
      readonly range: Range;
    }
  | {
      readonly kind: "monetary";
      readonly asset: Expression;
      readonly amount: Expression;
      readonly range: Range;
    }
  | {
      readonly kind: "binary";
      /** Only the interpreter has `/`. */
      readonly operator: "+" | "-" | "/";
      readonly left: Expression;
      readonly right: Expression;
      readonly range: Range;
    }
  /** (interpreter) `-5` */
  | { readonly kind: "negation"; readonly operand: Expression; readonly range: Range }
  /** For the machine, a call is an expression only as the origin of a variable. */
  | Call;

export interface Variable {
  readonly kind: "variable";
  /** The name without `$`. */
  readonly name: string;
  readonly range: Range;
}

/**
 * A piece of an account's name. Pieces are joined with `:`. Only the interpreter has variables among them. A name without
 * variables is one piece.
 */
export type AccountPiece = string | Variable;

export interface Call {
  readonly kind: "call";
  readonly name: string;
  readonly nameRange: Range;
  readonly arguments: readonly Expression[];
  readonly range: Range;
}

export const VALUE_TYPES = ["account", "asset", "number", "string", "monetary", "portion"] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** The name of an account literal without variables; undefined for other expressions. */
export function literalAccount(expression: Expression): string | undefined {
  if (expression.kind !== "account" || expression.pieces.length !== 1) return undefined;
  const [name] = expression.pieces;
  return typeof name === "string" ? name : undefined;
}

/** The text between the quotes of a string literal. Escapes are not decoded. */
export const unquoted = (literal: string): string => literal.slice(1, -1);
