import {
  type CharacterSets,
  type Comparing,
  propertyMatcher,
} from "#platform/patterns/character-sets.ts";

/**
 * A set of the 64 characters of which the segments of addresses consist, as 64 bits. A pattern may name any characters of
 * Unicode, but only these 64 matter.
 */
export interface CharacterSet {
  /** The bits of characters 0 to 31 of the alphabet. */
  readonly low: number;
  /** The bits of characters 32 to 63 of the alphabet. */
  readonly high: number;
}

const ALPHABET: readonly string[] = Array.from(
  "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz",
);
const WORD_BITS = 32;

/** The index of each character in the alphabet, by its code. */
const ALPHABET_INDEXES: readonly (number | undefined)[] = ALPHABET.reduce<number[]>(
  (indexes, character, index) => {
    indexes[character.charCodeAt(0)] = index;
    return indexes;
  },
  [],
);

/** The index of a UTF-16 unit in the alphabet, -1 for other characters. */
export const alphabetIndexOf = (unit: number): number => ALPHABET_INDEXES[unit] ?? -1;

/** Whether a set contains the character with this index. No set contains the index -1. */
export function hasIndex({ low, high }: CharacterSet, index: number): boolean {
  if (index < 0) return false;
  return ((index < WORD_BITS ? low >>> index : high >>> (index - WORD_BITS)) & 1) === 1;
}

export const ADDRESS_CHARACTERS: CharacterSets<CharacterSet> = {
  none: { low: 0, high: 0 },
  unionOf: (a, b) => ({ low: a.low | b.low, high: a.high | b.high }),
  complementOf: ({ low, high }) => ({ low: ~low, high: ~high }),
  rangeSet: (from, to, comparing) => setWhere((code) => code >= from && code <= to, comparing),
  unicodeClass: (name, comparing) => {
    const single = propertyMatcher(name);
    if (single === undefined) return undefined;
    return setWhere((code) => single.test(String.fromCodePoint(code)), comparing);
  },
};

/** The code points of each character of the alphabet. In `FOLDED_CODES`, code points that differ only in case are added. */
const OWN_CODES: readonly (readonly number[])[] = ALPHABET.map((it) => [it.charCodeAt(0)]);
const FOLDED_CODES = ALPHABET.map((it) => [
  it.toLowerCase().charCodeAt(0),
  it.toUpperCase().charCodeAt(0),
  // The long s folds to `s`, and the kelvin sign to `k`.
  ...(/[sS]/.test(it) ? [0x017f] : /[kK]/.test(it) ? [0x212a] : []),
]);

function setWhere(isIn: (code: number) => boolean, { fold }: Comparing): CharacterSet {
  let [low, high] = [0, 0];
  for (const [index, codes] of (fold ? FOLDED_CODES : OWN_CODES).entries()) {
    if (!codes.some(isIn)) continue;
    if (index < WORD_BITS) low |= 1 << index;
    else high |= 1 << (index - WORD_BITS);
  }
  return { low, high };
}
