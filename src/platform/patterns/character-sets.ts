/**
 * Operations on sets of characters, for the patterns of one kind of text. Sets over a small alphabet can be bit masks; sets of arbitrary
 * characters need another representation.
 */
export interface CharacterSets<S> {
  readonly none: S;
  readonly unionOf: (a: S, b: S) => S;
  readonly complementOf: (set: S) => S;
  /** The set of code points from `from` to `to`, both inclusive. */
  readonly rangeSet: (from: number, to: number, comparing: Comparing) => S;
  /** The set of a Unicode category or script, such as `\p{Greek}`, by its name; undefined for unknown names. */
  readonly unicodeClass: (name: string, comparing: Comparing) => S | undefined;
}

/** The comparison of characters. With `fold`, characters that differ only in case are equal. */
export interface Comparing {
  readonly fold: boolean;
}

/** Perl's classes, as pairs of the first and the last character of each range. */
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

/**
 * The set of a Perl class by its letter, such as `\d`, or of an ASCII class by its name, such as `[:alpha:]`; undefined for unknown names.
 */
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

/** An expression for single characters of a category or script. Its matches cannot backtrack, because a text has one character only. */
export function propertyMatcher(name: string): RegExp | undefined {
  if (!PROPERTY_NAME.test(name)) return undefined;
  const properties = GENERAL_CLASSES.has(name)
    ? [name]
    : [`General_Category=${name}`, `Script=${name}`];
  for (const property of properties) {
    try {
      return new RegExp(`^\\p{${property}}$`, "u");
    } catch {
      // The engine does not know this property.
    }
  }
  return undefined;
}

const PROPERTY_NAME = /^[A-Za-z_]{1,40}$/;
/** Names of properties that are neither a category nor a script. */
const GENERAL_CLASSES: ReadonlySet<string> = new Set(["Any", "ASCII", "Assigned"]);
