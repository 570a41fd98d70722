import type { Runtime } from "#numscript/syntax/ast.ts";
import { lex } from "#numscript/syntax/lexer.ts";
import type { Token } from "#numscript/syntax/tokens.ts";

/**
 * Prints the tokens of a script without indentation and with few blanks, for scripts that would be too long otherwise. In
 * deeply nested blocks, the indentation is longer than the rest.
 */
export function printDensely(text: string, runtime: Runtime): string {
  const { tokens } = lex(text, runtime);
  const parts: string[] = [];
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1];
    if (previous !== undefined && token.kind !== "end") {
      const gap = text.slice(previous.end, token.start);
      // A later quote on the same line would lengthen a string that ends with a backslash.
      const endsInEscape = previous.text.endsWith('\\"');
      if (endsInEscape && runtime !== "machine") parts.push("\n");
      else if (endsInEscape && gap.includes("\n")) parts.push(gap);
      else parts.push(between(gap, previous, token));
    }
    parts.push(token.kind === "newline" ? "\n" : token.text);
  }
  return parts.join("");
}

/** The blanks that must stay between two tokens. */
function between(gap: string, previous: Token, token: Token): string {
  if (isAlone(previous) || isAlone(token) || STARTS_ANEW.test(token.text)) return "";
  // The asset `5/` and a number are separated by two blanks, because one blank would make them a fraction.
  return gap === "" || gap === "  " ? gap : " ";
}

/** Signs that never join with a neighbouring token. */
const ALONE: ReadonlySet<string> = new Set(["(", ")", "[", "]", "{", "}", "=", ",", "+", "\\"]);
const isAlone = ({ kind, text }: Token): boolean => kind === "newline" || ALONE.has(text);

/** Matches a token whose first character ends the token before it. */
const STARTS_ANEW = /^[@$"]/;
