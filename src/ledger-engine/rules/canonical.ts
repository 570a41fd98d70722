import { quoteJson } from "#platform/json.ts";

/**
 * JSON text in the one form that hashes are computed over: no spaces, members in the order in which they are given, and
 * `<`, `>`, `&`, U+2028 and U+2029 escaped. It is not made from objects, because these put keys like "10" first.
 */
const ESCAPED = /[<>&\u2028\u2029]/g;

/** Most texts are names, which need no escapes. */
const PLAIN = /^[\w :/.+=-]*$/;

/** Writes a text as JSON. */
export const canonicalText = (text: string): string =>
  PLAIN.test(text)
    ? `"${text}"`
    : quoteJson(text).replace(
        ESCAPED,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );

/** Writes an object whose keys are data, sorted by their bytes. */
export function canonicalMap<V>(
  map: Readonly<Record<string, V>>,
  write: (value: V) => string,
): string {
  const names = Object.keys(map);
  if (names.length === 0) return "{}";
  if (names.length > 1) names.sort(compareBytes);
  const members = names.map((name) => `${canonicalText(name)}:${write(map[name] as V)}`); // a property of its own
  return `{${members.join(",")}}`;
}

export const canonicalMetadata = (metadata: Readonly<Record<string, string>> | null): string =>
  metadata === null ? "null" : canonicalMap(metadata, canonicalText);

/**
 * Orders texts by their UTF-8 bytes, which is the order of code points. UTF-16 units would put U+E000 after U+10000.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    const [isLeftPair, isRightPair] = [isSurrogate(left), isSurrogate(right)];
    return isLeftPair === isRightPair ? left - right : isLeftPair ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
