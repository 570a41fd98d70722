import type { ExprToken } from "./tokens.ts";
import { ExprError } from "#expr/diagnostics.ts";

/** Reads a string: with escapes in single or double quotes, without escapes in backticks. */
export function readString(source: string, start: number): ExprToken {
  return source[start] === "`" ? readRaw(source, start) : readQuoted(source, start);
}

/** Reads a string in backticks, in which two backticks stand for one. */
function readRaw(source: string, start: number): ExprToken {
  let at = start + 1;
  for (;;) {
    const end = source.indexOf("`", at);
    if (end === -1) throw notTerminated(source, start);
    if (source[end + 1] !== "`") {
      const value = source.slice(start + 1, end).replaceAll("``", "`");
      return { kind: "string", value, start, end: end + 1 };
    }
    at = end + 2;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
};
const CODE = /x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})/y;
const CODE_POINT_MAX = 0x10ffff;

function readQuoted(source: string, start: number): ExprToken {
  const quote = source[start];
  let value = "";
  let from = start + 1;
  for (let at = from; ;) {
    const character = source[at];
    if (character === undefined || character === "\n") throw notTerminated(source, start);
    if (character === quote) {
      value += source.slice(from, at);
      return { kind: "string", value, start, end: at + 1 };
    }
    if (character !== "\\") {
      at++;
      continue;
    }
    const escape = readEscape(source, at);
    value += source.slice(from, at) + escape.text;
    at = escape.end;
    from = at;
  }
}

/** Escape = "\" ( letter | "x" hex hex | "u" 4 × hex | "U" 8 × hex | 3 × octal ) */
function readEscape(
  source: string,
  start: number,
): { readonly text: string; readonly end: number } {
  const letter = source[start + 1] ?? "";
  const plain = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (plain !== undefined) return { text: plain, end: start + 2 };
  CODE.lastIndex = start + 1;
  const match = CODE.exec(source);
  const [text = "", pair, four, eight, octal] = match ?? [];
  const hex = pair ?? four ?? eight;
  const code = hex === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(hex, 16);
  const end = start + 1 + text.length;
  // A surrogate is not a character.
  if (match === null || code > CODE_POINT_MAX || (code >= 0xd800 && code <= 0xdfff)) {
    throw new ExprError("invalid-literal", "invalid char escape", {
      start,
      end: Math.min(Math.max(end, start + 2), source.length),
    });
  }
  return { text: String.fromCodePoint(code), end };
}

const notTerminated = (source: string, start: number): ExprError =>
  new ExprError("invalid-literal", "literal not terminated", { start, end: source.length });
