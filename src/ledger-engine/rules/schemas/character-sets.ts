/**
 * A set of the 64 characters that the segments of addresses consist of. A pattern may name any characters of Unicode,
 * but only those among the 64 ever matter.
 */
export interface CharacterSet {
  /** The characters 0 to 31 of the alphabet, and the others, as bits. */
  readonly low: number;
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

export const NO_CHARACTER: CharacterSet = { low: 0, high: 0 };

export const unionOf = (a: CharacterSet, b: CharacterSet): CharacterSet => ({
  low: a.low | b.low,
  high: a.high | b.high,
});

export const complementOf = ({ low, high }: CharacterSet): CharacterSet => ({
  low: ~low,
  high: ~high,
});

/** How characters are compared. With `fold`, characters that differ only in case are equal. */
export interface Comparing {
  readonly fold: boolean;
}

/** The code points from one to another. Both are included. */
export const rangeSet = (from: number, to: number, comparing: Comparing): CharacterSet =>
  setWhere((code) => code >= from && code <= to, comparing);

/** `\d`, `\s` and `\w` by their letter; undefined for other letters. */
export const perlClass = (letter: string, comparing: Comparing): CharacterSet | undefined =>
  namedClass(PERL_CLASSES, letter, comparing);

/** `[:alpha:]` and the like by their name; undefined for unknown names. */
export const asciiClass = (name: string, comparing: Comparing): CharacterSet | undefined =>
  namedClass(ASCII_CLASSES, name, comparing);

/** `\p{Greek}` and the like by the name of the category or script; undefined for unknown names. */
export function unicodeClass(name: string, comparing: Comparing): CharacterSet | undefined {
  if (!PROPERTY_NAME.test(name)) return undefined;
  const properties = GENERAL_CLASSES.has(name)
    ? [name]
    : [`General_Category=${name}`, `Script=${name}`];
  for (const property of properties) {
    const single = propertyMatcher(property);
    if (single === undefined) continue;
    return setWhere((code) => single.test(String.fromCodePoint(code)), comparing);
  }
  return undefined;
}

/** The first and last characters of ranges, in pairs. */
const PERL_CLASSES: Readonly<Record<string, string>> = {
  d: "09",
  s: "\t\n\f\r  ",
  w: "09AZ__az",
};
const ASCII_CLASSES: Readonly<Record<string, string>> = {
  alnum: "09AZaz",
  alpha: "AZaz",
  ascii: "\0\x7f",
  blank: "\t\t  ",
  cntrl: "\0\x1f\x7f\x7f",
  digit: "09",
  graph: "!~",
  lower: "az",
  print: " ~",
  punct: "!/:@[`{~",
  space: "\t\r  ",
  upper: "AZ",
  word: "09AZ__az",
  xdigit: "09AFaf",
};

function namedClass(
  classes: Readonly<Record<string, string>>,
  name: string,
  comparing: Comparing,
): CharacterSet | undefined {
  const ranges = Object.hasOwn(classes, name) ? (classes[name] ?? "") : undefined;
  if (ranges === undefined) return undefined;
  let set = NO_CHARACTER;
  for (let at = 0; at < ranges.length; at += 2) {
    set = unionOf(set, rangeSet(ranges.charCodeAt(at), ranges.charCodeAt(at + 1), comparing));
  }
  return set;
}

const PROPERTY_NAME = /^[A-Za-z_]{1,40}$/;
/** The names that are neither a category nor a script. */
const GENERAL_CLASSES: ReadonlySet<string> = new Set(["Any", "ASCII", "Assigned"]);

/** Matches one character at a time, so that there is nothing to backtrack to. */
function propertyMatcher(property: string): RegExp | undefined {
  try {
    return new RegExp(`^\\p{${property}}$`, "u");
  } catch {
    // There is no such property.
    return undefined;
  }
}

/**
 * The code points that a character of the alphabet stands for: its own, and those that differ from it only in case.
 */
const OWN_CODES: readonly (readonly number[])[] = ALPHABET.map((it) => [it.charCodeAt(0)]);
const FOLDED_CODES = ALPHABET.map((it) => [
  it.toLowerCase().charCodeAt(0),
  it.toUpperCase().charCodeAt(0),
  // Two of them are not ASCII: the long s and the kelvin sign.
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
