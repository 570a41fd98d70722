import type { Runtime } from "./ast.ts";
import type { Range } from "./source.ts";

/** The classes of tokens with different texts. */
export type TokenClass =
  /** (machine) A run of line breaks. */
  | "newline"
  | "string"
  | "number"
  /** `12.5%` */
  | "percentage"
  /** (machine) `1/3` */
  | "fraction"
  /** `$name` */
  | "variable"
  /** (machine) `@a:b`. (interpreter) The first piece of an account, `@a` or `@$a`. */
  | "account"
  /** (interpreter) A further piece of an account, `:b` or `:$b`. */
  | "accountPiece"
  | "asset"
  /** (machine) The name of a type. */
  | "type"
  /** (interpreter) A word that is not a keyword. */
  | "identifier"
  | "end";

/** A token. The kind of a keyword or sign is its text. */
export interface Token extends Range {
  readonly kind: TokenClass | Lexeme;
  readonly text: string;
}

/** The words of the machine. A word comes before the words that are its beginnings, because no blank is needed between words. */
export const MACHINE_WORDS = [
  "allowing overdraft up to",
  "allowing unbounded overdraft",
  "set_account_meta",
  "destination",
  "set_tx_meta",
  "remaining",
  "allocate",
  "monetary",
  "account",
  "balance",
  "portion",
  "number",
  "source",
  "string",
  "asset",
  "print",
  "fail",
  "from",
  "kept",
  "meta",
  "save",
  "send",
  "vars",
  "max",
  "to",
] as const;

/** The words of the interpreter that are not identifiers. */
export const INTERPRETER_WORDS = [
  "vars",
  "max",
  "source",
  "destination",
  "send",
  "from",
  "up",
  "to",
  "remaining",
  "allowing",
  "unbounded",
  "overdraft",
  "oneof",
  "kept",
  "save",
  "with",
  "scaling",
  "through",
  "feature",
] as const;

const MACHINE_PUNCTUATION = ["+", "-", "(", ")", "[", "]", "{", "}", "=", ",", "*", "%"] as const;
const INTERPRETER_PUNCTUATION = [
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  ",",
  "=",
  "*",
  "+",
  "-",
  "/",
  "\\",
  "#!",
] as const;

export type Lexeme =
  | (typeof MACHINE_WORDS)[number]
  | (typeof INTERPRETER_WORDS)[number]
  | (typeof MACHINE_PUNCTUATION)[number]
  | (typeof INTERPRETER_PUNCTUATION)[number];

export const PUNCTUATION: Readonly<Record<Runtime, ReadonlyMap<string, Lexeme>>> = {
  machine: new Map(MACHINE_PUNCTUATION.map((text) => [text, text])),
  "experimental-interpreter": new Map(INTERPRETER_PUNCTUATION.map((text) => [text, text])),
};

export const INTERPRETER_KEYWORDS: ReadonlyMap<string, Lexeme> = new Map(
  INTERPRETER_WORDS.map((text) => [text, text]),
);

/** The names of the classes of tokens in messages. */
const CLASS_NAMES: Readonly<Partial<Record<Token["kind"], string>>> = {
  newline: "a line break",
  string: "a string",
  number: "a number",
  percentage: "a percentage",
  fraction: "a fraction",
  variable: "a variable",
  account: "an account",
  accountPiece: "an account segment",
  asset: "an asset",
  type: "a type",
  identifier: "a name",
  end: "the end of the script",
};

export const describeKind = (kind: Token["kind"]): string => CLASS_NAMES[kind] ?? `'${kind}'`;

/** The name of a found token in messages. */
export function describeToken({ kind, text }: Token): string {
  if (kind === "newline" || kind === "end") return describeKind(kind);
  return `'${text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text}'`;
}

/** Longest part of a token that a message repeats, in characters. */
const SHOWN_MAX = 40;
