/** Longest pattern, in UTF-16 units. The time of a match grows with the length, and no reference is longer. */
export const LIKE_LENGTH_MAX = 1024;

/**
 * SQL's `LIKE`, case-sensitive: `%` stands for any text, `_` for one character, and `\` makes the next character literal. The platform's
 * own `LIKE` accepts at most 50 bytes. A match takes O(pattern × text) time in the worst case.
 */
export function likeMatcher(pattern: string): (text: string) => boolean {
  const items = parseLike(pattern);
  return (text) => matchesItems(items, Array.from(text));
}

/** The text at the beginning of every match. */
export function likePrefix(pattern: string): string {
  let prefix = "";
  for (const item of parseLike(pattern)) {
    if (typeof item !== "string") break;
    prefix += item;
  }
  return prefix;
}

export const ANY_TEXT = Symbol("any text");
export const ANY_CHARACTER = Symbol("any character");
/** A literal character, or a wildcard. */
export type LikeItem = string | typeof ANY_TEXT | typeof ANY_CHARACTER;

/** The characters and wildcards of a pattern; no `%` comes right after another one. */
export function parseLike(pattern: string): LikeItem[] {
  const items: LikeItem[] = [];
  const characters = Array.from(pattern);
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? "";
    if (character === "%") {
      if (items.at(-1) !== ANY_TEXT) items.push(ANY_TEXT);
    } else if (character === "_") items.push(ANY_CHARACTER);
    else if (character === "\\") items.push(characters[++index] ?? "\\");
    else items.push(character);
  }
  return items;
}

/**
 * Greedy matching of wildcards: on a mismatch, only the last `%` is extended, because extending an earlier one could match no more (K.
 * Krauss, "Matching Wildcards: An Algorithm", Dr. Dobb's, 2008).
 */
function matchesItems(items: readonly LikeItem[], text: readonly string[]): boolean {
  let [item, at] = [0, 0];
  let retry: { item: number; at: number } | undefined;
  while (at < text.length) {
    const expected = items[item];
    if (expected === ANY_TEXT) retry = { item: ++item, at };
    else if (expected !== undefined && (expected === ANY_CHARACTER || expected === text[at])) {
      item++;
      at++;
    } else if (retry === undefined) return false;
    else {
      retry = { item: retry.item, at: retry.at + 1 };
      ({ item, at } = retry);
    }
  }
  return items.slice(item).every((rest) => rest === ANY_TEXT);
}
