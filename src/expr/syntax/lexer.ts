import { readString } from "./string-literals.ts";
import { SIGNS, type ExprToken } from "./tokens.ts";
import { ExprError } from "#expr/diagnostics.ts";
import { LITERAL_DIGITS_MAX, TOKENS_MAX } from "#expr/limits.ts";

/** Splits an expression into tokens, the last of which is of the kind `end`. Throws `ExprError`. */
export function lex(source: string): ExprToken[] {
  const tokens: ExprToken[] = [];
  let at = 0;
  for (;;) {
    at = skip(source, at);
    if (at >= source.length) break;
    if (tokens.length >= TOKENS_MAX) {
      const message = `an expression has at most ${TOKENS_MAX} tokens`;
      throw new ExprError("limit-exceeded", message, { start: at, end: at });
    }
    const token = readToken(source, at);
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: "end", start: source.length, end: source.length });
  return tokens;
}

const BLANK = /[\s\u00a0]*/y;

/** Skips blanks and comments. Returns the offset behind them. */
function skip(source: string, start: number): number {
  let at = start;
  for (;;) {
    BLANK.lastIndex = at;
    BLANK.exec(source);
    at = BLANK.lastIndex;
    if (source.startsWith("//", at)) {
      const end = source.indexOf("\n", at);
      at = end === -1 ? source.length : end;
    } else if (source.startsWith("/*", at)) {
      const end = source.indexOf("*/", at + 2);
      if (end === -1) {
        throw new ExprError("unexpected-character", "unclosed comment", { start: at, end: at + 2 });
      }
      at = end + 2;
    } else {
      return at;
    }
  }
}

const WORD = /[\p{L}_$][\p{L}\p{Nd}_$]*/uy;

function readToken(source: string, start: number): ExprToken {
  const first = source[start] ?? "";
  if (isDigit(first) || (first === "." && isDigit(source[start + 1] ?? ""))) {
    return readNumber(source, start);
  }
  if (first === '"' || first === "'" || first === "`") return readString(source, start);
  WORD.lastIndex = start;
  const word = WORD.exec(source)?.[0];
  if (word !== undefined) {
    return { kind: "word", value: word, start, end: start + word.length };
  }
  const sign = SIGNS.find((sign) => source.startsWith(sign, start));
  if (sign !== undefined) return { kind: "sign", value: sign, start, end: start + sign.length };
  const code = source.codePointAt(start) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  throw new ExprError(
    "unexpected-character",
    `unrecognized character: ${name} '${String.fromCodePoint(code)}'`,
    { start, end: start + (code > 0xffff ? 2 : 1) },
  );
}

const isDigit = (character: string): boolean => character >= "0" && character <= "9";

/** A number with all characters behind it that cannot follow a number, but without the dots of a range. */
const NUMBER = /(?:\d[\d_]*)?(?:\.(?!\.)[\d_]*)?(?:[eE][+-]?[\d_]*)?[\p{L}\p{Nd}_$]*/uy;
const OTHER_BASE = /0[xXoObB][\p{L}\p{Nd}_$]*/uy;
const INTEGER = /^(?:0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|\d(?:_?\d)*)$/;
const FLOAT = /^(?:\d(?:_?\d)*)?(?:\.(?:\d(?:_?\d)*)?)?(?:[eE][+-]?\d(?:_?\d)*)?$/;

function readNumber(source: string, start: number): ExprToken {
  const pattern = OTHER_BASE.exec(source.slice(start, start + 3)) === null ? NUMBER : OTHER_BASE;
  pattern.lastIndex = start;
  const text = pattern.exec(source)?.[0] ?? "";
  const range = { start, end: start + text.length };
  OTHER_BASE.lastIndex = 0;
  if (text.length > LITERAL_DIGITS_MAX) {
    const message = `a number has at most ${LITERAL_DIGITS_MAX} digits`;
    throw new ExprError("limit-exceeded", message, range);
  }
  const plain = text.replaceAll("_", "");
  if (INTEGER.test(text)) return { kind: "integer", value: BigInt(decimalOf(plain)), ...range };
  const value = FLOAT.test(text) ? Number(plain) : Number.NaN;
  if (Number.isFinite(value)) return { kind: "float", value, ...range };
  throw new ExprError("invalid-literal", `bad number syntax: "${text.slice(0, 60)}"`, range);
}

/** The text of an integer with a prefix in lower case, which `BigInt` requires. */
const decimalOf = (text: string): string => (/^0[XOB]/.test(text) ? text.toLowerCase() : text);
