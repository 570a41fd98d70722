import { quoteJson } from "#platform/json.ts";

/**
 * The characters that canonical JSON escapes besides those of JSON itself. Canonical JSON is the form over which hashes are
 * computed: no spaces, and members in the order in which they are written. It is not written from objects, because objects
 * put keys like "10" first.
 */
const ESCAPED = /[<>&\u2028\u2029]/g;

/** Matches texts without characters to escape, such as names. */
const PLAIN = /^[\w :/.+=-]*$/;

/** Writes a text as canonical JSON. */
export const canonicalText = (text: string): string =>
  PLAIN.test(text)
    ? `"${text}"`
    : quoteJson(text).replace(
        ESCAPED,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );

/** Writes an object whose keys are data as canonical JSON, with the keys sorted by their bytes. */
export function canonicalMap<V>(
  map: Readonly<Record<string, V>>,
  write: (value: V) => string,
): string {
  const names = Object.keys(map);
  if (names.length === 0) return "{}";
  if (names.length > 1) names.sort(compareBytes);
  const members = names.map((name) => `${canonicalText(name)}:${write(map[name] as V)}`); // `name` is an own key
  return `{${members.join(",")}}`;
}

export const canonicalMetadata = (metadata: Readonly<Record<string, string>> | null): string =>
  metadata === null ? "null" : canonicalMap(metadata, canonicalText);

/** Orders texts by their UTF-8 bytes, which is the order of code points. The order of UTF-16 units puts U+E000 after U+10000. */
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
