import type { TextRange } from "#expr/source.ts";

export type ExprToken = TextRange & TokenKind;

type TokenKind =
  | { readonly kind: "integer"; readonly value: bigint }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "string"; readonly value: string }
  /** A name or a reserved word. */
  | { readonly kind: "word"; readonly value: string }
  | { readonly kind: "sign"; readonly value: string }
  | { readonly kind: "end" };

/** The signs of the language, longest first. */
export const SIGNS: readonly string[] = [
  ..."?. ?? .. ** == != <= >= && ||".split(" "),
  ..."( ) [ ] { } . , : ; ? + - * / % ^ < > ! | # =".split(" "),
];

/** Words that are operators. Behind a dot, an operator word is a name. */
export const OPERATOR_WORDS: ReadonlySet<string> = new Set(
  "not in or and matches contains startsWith endsWith".split(" "),
);
/** Reserved words, which are names only behind a dot. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set([
  ...OPERATOR_WORDS,
  ..."let if else true false nil".split(" "),
]);

/** The description of a token in messages. */
export function describeToken(token: ExprToken, source: string): string {
  if (token.kind === "end") return "EOF";
  const text = source.slice(token.start, Math.min(token.end, token.start + SHOWN_MAX));
  switch (token.kind) {
    case "integer":
    case "float":
      return `Number("${text}")`;
    case "string":
      return `String(${text})`;
    case "word":
      return `${OPERATOR_WORDS.has(text) ? "Operator" : "Identifier"}("${text}")`;
    case "sign":
      return `${"()[]{}".includes(text) ? "Bracket" : "Operator"}("${text}")`;
  }
}

const SHOWN_MAX = 60;
