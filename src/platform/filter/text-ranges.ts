const CODE_POINT_MAX = 0x10ffff;
/** The range of surrogates, which are no characters. */
const SURROGATES = { from: 0xd800, below: 0xe000 };

/** The first text, in byte order, after all texts with a prefix; undefined if no such text exists. */
export function textBelow(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const next = (last.codePointAt(0) ?? CODE_POINT_MAX) + 1;
    if (next > CODE_POINT_MAX) continue;
    const character = next === SURROGATES.from ? SURROGATES.below : next;
    return characters.join("") + String.fromCodePoint(character);
  }
  return undefined;
}
