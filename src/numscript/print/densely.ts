import type { Runtime } from "#numscript/syntax/ast.ts";
import { lex } from "#numscript/syntax/lexer.ts";
import type { Token } from "#numscript/syntax/tokens.ts";

/**
 * Writes the same tokens without indentation and with few blanks, for scripts that would be too long otherwise. Where
 * blocks are nested deeply, the indentation is longer than the rest.
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

/** The part of the blanks between two tokens that must stay. */
function between(gap: string, previous: Token, token: Token): string {
  if (isAlone(previous) || isAlone(token) || STARTS_ANEW.test(token.text)) return "";
  // The asset `5/` and a number need two blanks between them.
  return gap === "" || gap === "  " ? gap : " ";
}

/** Signs that are never part of another token, whatever is next to them. */
const ALONE: ReadonlySet<string> = new Set(["(", ")", "[", "]", "{", "}", "=", ",", "+", "\\"]);
const isAlone = ({ kind, text }: Token): boolean => kind === "newline" || ALONE.has(text);

/** Characters that end the token before them. */
const STARTS_ANEW = /^[@$"]/;
