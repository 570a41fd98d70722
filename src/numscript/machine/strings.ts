import { unquoted } from "#numscript/syntax/ast.ts";
import { ScriptError } from "#numscript/syntax/diagnostics.ts";
import type { Range } from "#numscript/syntax/source.ts";

/**
 * The text of a string literal. Escapes are decoded as in an interpreted string literal of the Go specification: bytes
 * (`\xHH`, `\ooo`), characters (`\uXXXX`, `\UXXXXXXXX`) in UTF-8, and simple escapes such as `\n`. Throws for other escapes.
 */
export function decodeString(literal: string, range: Range): string {
  const text = unquoted(literal);
  if (!text.includes("\\")) return text;
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  const parts: string[] = [];
  let end = 0;
  const add = (bytes: Uint8Array): void => {
    // Several escapes may give the bytes of one character, which the streaming decoder joins.
    parts.push(decoder.decode(bytes, { stream: true }));
  };
  for (const match of text.matchAll(ESCAPE)) {
    add(encodePlain(text.slice(end, match.index), range));
    add(decodeEscape(match[0], range));
    end = match.index + match[0].length;
  }
  add(encodePlain(text.slice(end), range));
  const decoded = parts.join("") + decoder.decode();
  return decoded.includes("\0") ? invalid("a string must not contain U+0000", range) : decoded;
}

/** Encodes the text between escapes. Throws for a quote, which must be escaped as in Go. */
function encodePlain(text: string, range: Range): Uint8Array {
  return text.includes('"')
    ? invalid('invalid syntax: a quote inside a string is written \\"', range)
    : encoder.encode(text);
}

/** The key of `meta`: the literal without the quotes around it. Escapes are not decoded. */
export const verbatimKey = (literal: string): string => literal.replaceAll(/^"+|"+$/g, "");

/** Matches an escape, valid or not. */
const ESCAPE = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|[\s\S]|$)/g;
const LONG_ESCAPE = /^\\(?:[xuU]|[0-7]{3})/;
const SIMPLE: ReadonlyMap<string, number> = new Map([
  ["\\a", 0x07],
  ["\\b", 0x08],
  ["\\f", 0x0c],
  ["\\n", 0x0a],
  ["\\r", 0x0d],
  ["\\t", 0x09],
  ["\\v", 0x0b],
  ["\\\\", 0x5c],
  ['\\"', 0x22],
]);
const SURROGATES = { first: 0xd8_00, last: 0xdf_ff };
const CODE_POINT_MAX = 0x10_ff_ff;
const encoder = new TextEncoder();

function decodeEscape(escape: string, range: Range): Uint8Array {
  const simple = SIMPLE.get(escape);
  if (simple !== undefined) return Uint8Array.of(simple);
  if (!LONG_ESCAPE.test(escape) || escape.length < 4) return invalidEscape(escape, range);
  const isOctal = /^\\[0-7]/.test(escape);
  const value = Number.parseInt(escape.slice(isOctal ? 1 : 2), isOctal ? 8 : 16);
  if (isOctal || escape.startsWith("\\x")) {
    return value > 0xff ? invalidEscape(escape, range) : Uint8Array.of(value);
  }
  const isCharacter =
    value <= CODE_POINT_MAX && (value < SURROGATES.first || value > SURROGATES.last);
  return isCharacter ? encoder.encode(String.fromCodePoint(value)) : invalidEscape(escape, range);
}

const invalidEscape = (escape: string, range: Range): never =>
  invalid(`invalid syntax: '${escape}' is no escape of a string`, range);

function invalid(message: string, range: Range): never {
  throw new ScriptError("invalid", "invalid-escape", { message, range });
}
