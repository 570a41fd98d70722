/**
 * Sets of characters, for the patterns of one kind of text. A text whose alphabet is small has room for each set in a
 * few bits; sets of any characters are better told by what is in them.
 */
export interface CharacterSets<S> {
  readonly none: S;
  readonly unionOf: (a: S, b: S) => S;
  readonly complementOf: (set: S) => S;
  /** The code points from one to another. Both are included. */
  readonly rangeSet: (from: number, to: number, comparing: Comparing) => S;
  /** `\p{Greek}` and the like by the name of the category or script; undefined for unknown names. */
  readonly unicodeClass: (name: string, comparing: Comparing) => S | undefined;
}

/** How characters are compared. With `fold`, characters that differ only in case are equal. */
export interface Comparing {
  readonly fold: boolean;
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

/** `\d`, `\s` and `\w` by their letter, `[:alpha:]` and the like by their name; undefined for unknown ones. */
export function namedSet<S>(
  sets: CharacterSets<S>,
  { kind, name }: { readonly kind: "perl" | "ascii"; readonly name: string },
  comparing: Comparing,
): S | undefined {
  const classes = kind === "perl" ? PERL_CLASSES : ASCII_CLASSES;
  const ranges = Object.hasOwn(classes, name) ? (classes[name] ?? "") : undefined;
  if (ranges === undefined) return undefined;
  let set = sets.none;
  for (let at = 0; at < ranges.length; at += 2) {
    const [from, to] = [ranges.charCodeAt(at), ranges.charCodeAt(at + 1)];
    set = sets.unionOf(set, sets.rangeSet(from, to, comparing));
  }
  return set;
}

/** Matches one character of a category or script at a time, so that there is nothing to backtrack to. */
export function propertyMatcher(name: string): RegExp | undefined {
  if (!PROPERTY_NAME.test(name)) return undefined;
  const properties = GENERAL_CLASSES.has(name)
    ? [name]
    : [`General_Category=${name}`, `Script=${name}`];
  for (const property of properties) {
    try {
      return new RegExp(`^\\p{${property}}$`, "u");
    } catch {
      // There is no such property.
    }
  }
  return undefined;
}

const PROPERTY_NAME = /^[A-Za-z_]{1,40}$/;
/** The names that are neither a category nor a script. */
const GENERAL_CLASSES: ReadonlySet<string> = new Set(["Any", "ASCII", "Assigned"]);
