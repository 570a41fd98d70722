import {
  asciiClass,
  type CharacterSet,
  complementOf,
  NO_CHARACTER,
  perlClass,
  rangeSet,
  unicodeClass,
  unionOf,
} from "./character-sets.ts";
import { PATTERN_DEPTH_MAX, PATTERN_LENGTH_MAX } from "./limits.ts";

/**
 * A regular expression as a tree. Only whether it matches is of interest, so that the tree has neither groups nor
 * greed.
 */
export type PatternNode =
  | { readonly kind: "characters"; readonly set: CharacterSet }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | {
      readonly kind: "repetition";
      readonly item: PatternNode;
      readonly least: number;
      /** Infinity stands for no bound. */
      readonly most: number;
    };

/** A condition between two characters. A segment has only one line. */
export type Assertion = "start" | "end" | "wordBoundary" | "noWordBoundary";

/** The largest count of a repetition, also as the product of nested ones. It is that of RE2. */
const REPEAT_MAX = 1000;

/** Why a text is not a pattern, in the words of the reference server. */
export class PatternError extends Error {
  constructor(why: string, where: string) {
    super(`error parsing regexp: ${why}: \`${where.length > SHOWN_MAX ? cut(where) : where}\``);
    this.name = "PatternError";
  }
}

/** Longest part of a pattern that a message repeats. */
const SHOWN_MAX = 80;
const cut = (text: string): string => `${text.slice(0, SHOWN_MAX)}…`;

/** Parses a regular expression in the syntax of RE2. Throws `PatternError`. */
export function parsePattern(source: string): PatternNode {
  if (source.length > PATTERN_LENGTH_MAX) {
    throw new PatternError(`more than ${PATTERN_LENGTH_MAX} characters`, source);
  }
  return new PatternParser(source).parse();
}

const ANY: CharacterSet = complementOf(NO_CHARACTER);

/** A tree, and the largest product of counts on any path into it. */
interface Counted {
  readonly node: PatternNode;
  readonly product: number;
}

const COUNTS = /\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/y;
const FLAGS = /\(\?([imsU]*)(-[imsU]+)?([:)])/y;
/** Flags, up to and including a character that does not belong there. */
const ANY_FLAGS = /\(\?[imsU-]*.?/sy;
const NAMED_GROUP = /\(\?P?<\w+>/y;
/** The beginning of a name, if anything follows it. */
const NAME_START = /\(\?(?:P<.|<.)/sy;
const QUOTED = /\\Q(.*?)(?:\\E|$)/sy;
const ASCII_CLASS = /\[:(\^?)(.*?):\]/sy;
const UNICODE_CLASS = /\\([pP])(?:\{(\^?)([^}]*)\}|([^{]))/suy;
const ESCAPED_CODE = /\\(?:x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]+)\}|(0[0-7]{0,2}|[1-7][0-7]{1,2}))/y;
const CODE_POINT_MAX = 0x10ffff;

const ESCAPED_LETTERS: Readonly<Record<string, number>> = {
  a: 0x07,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
  v: 0x0b,
};
const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: "start",
  b: "wordBoundary",
  B: "noWordBoundary",
  z: "end",
};

class PatternParser {
  readonly #source: string;
  #at = 0;
  #depth = 0;
  #fold = false;

  constructor(source: string) {
    this.#source = source;
  }

  /** Pattern = Choice */
  parse(): PatternNode {
    const { node } = this.#parseChoice();
    if (this.#at < this.#source.length) throw new PatternError("unexpected )", this.#source);
    return node;
  }

  /** Choice = Sequence { "|" Sequence } */
  #parseChoice(): Counted {
    const options = [this.#parseSequence()];
    while (this.#takes("|")) options.push(this.#parseSequence());
    const [only] = options;
    if (only !== undefined && options.length === 1) return only;
    return {
      node: { kind: "choice", options: options.map(({ node }) => node) },
      product: largestProduct(options),
    };
  }

  /** Sequence = { Atom | Repeat } */
  #parseSequence(): Counted {
    const items: Counted[] = [];
    // The start of the operator before this position, if there is one: `a**` is refused.
    let operatorStart: number | undefined;
    while (this.#at < this.#source.length && !this.#isAt("|") && !this.#isAt(")")) {
      const start = this.#at;
      const repeat = this.#parseRepeat();
      if (repeat === undefined) {
        items.push(...this.#parseAtom());
        operatorStart = undefined;
        continue;
      }
      if (operatorStart !== undefined) {
        throw this.#fault("invalid nested repetition operator", operatorStart);
      }
      const item = items.pop();
      if (item === undefined) {
        throw this.#fault("missing argument to repetition operator", start);
      }
      items.push(this.#repeated(item, repeat, start));
      operatorStart = start;
    }
    return {
      node: { kind: "sequence", items: items.map(({ node }) => node) },
      product: largestProduct(items),
    };
  }

  /** Repeat = ( "*" | "+" | "?" | "{" Count [ "," [ Count ] ] "}" ) [ "?" ]. Any other brace stands for itself. */
  #parseRepeat(): Bounds | undefined {
    const start = this.#at;
    const bounds = this.#parseBounds();
    if (bounds === undefined) return undefined;
    const { least, most } = bounds;
    if (bounds.isCounted && (least > REPEAT_MAX || (most !== Infinity && most > REPEAT_MAX))) {
      throw this.#fault("invalid repeat count", start);
    }
    if (least > most) throw this.#fault("invalid repeat count", start);
    // Greed changes what is matched, but not whether.
    this.#takes("?");
    return bounds;
  }

  #parseBounds(): Bounds | undefined {
    if (this.#takes("*")) return { least: 0, most: Infinity, isCounted: false };
    if (this.#takes("+")) return { least: 1, most: Infinity, isCounted: false };
    if (this.#takes("?")) return { least: 0, most: 1, isCounted: false };
    const match = this.#match(COUNTS);
    if (match === undefined) return undefined;
    const [, first, comma, last] = match;
    const least = Number(first);
    const open = comma === undefined ? least : Infinity;
    return { least, most: last === undefined ? open : Number(last), isCounted: true };
  }

  #repeated(
    { node, product }: Counted,
    { least, most, isCounted }: Bounds,
    start: number,
  ): Counted {
    const repeated = { kind: "repetition", item: node, least, most } as const;
    if (!isCounted) return { node: repeated, product };
    const times = most === Infinity ? least : most;
    const total = Math.max(times, 1) * product;
    if (times > 1 && total > REPEAT_MAX) throw this.#fault("invalid repeat count", start);
    return { node: repeated, product: times === 0 && most === 0 ? 1 : total };
  }

  /** Atom = Group | Class | Escape | "." | "^" | "$" | character. Flags make no item, quoted text makes many. */
  #parseAtom(): Counted[] {
    if (this.#isAt("(")) return this.#parseGroup();
    if (this.#isAt("[")) return [charactersOf(this.#parseClass())];
    if (this.#isAt("\\")) return this.#parseEscape();
    if (this.#takes(".")) return [charactersOf(ANY)];
    if (this.#takes("^")) return [assertionOf("start")];
    if (this.#takes("$")) return [assertionOf("end")];
    return [charactersOf(this.#single(this.#takeCodePoint()))];
  }

  /** Group = "(" [ "?:" | "?flags:" | "?<name>" | "?P<name>" ] Choice ")" | "(?flags)" */
  #parseGroup(): Counted[] {
    const outer = this.#fold;
    const flags = this.#source.startsWith("(?", this.#at) ? this.#parseFlags() : undefined;
    if (flags?.isOpen === false) {
      this.#fold = flags.fold;
      return [];
    }
    if (flags === undefined) this.#at++;
    else this.#fold = flags.fold;
    if (++this.#depth > PATTERN_DEPTH_MAX) {
      throw new PatternError("expression nests too deeply", this.#source);
    }
    const choice = this.#parseChoice();
    if (!this.#takes(")")) throw new PatternError("missing closing )", this.#source);
    this.#depth--;
    this.#fold = outer;
    return [choice];
  }

  #parseFlags(): { readonly fold: boolean; readonly isOpen: boolean } {
    if (this.#match(NAMED_GROUP) !== undefined) return { fold: this.#fold, isOpen: true };
    const start = this.#at;
    if (this.#match(NAME_START) !== undefined) {
      const end = this.#source.indexOf(">", start);
      this.#at = end === -1 ? this.#source.length : end + 1;
      throw this.#fault("invalid named capture", start);
    }
    const match = this.#match(FLAGS);
    if (match === undefined) {
      this.#match(ANY_FLAGS);
      throw this.#fault("invalid or unsupported Perl syntax", start);
    }
    const [, set = "", cleared = "", end] = match;
    const fold = (this.#fold || set.includes("i")) && !cleared.includes("i");
    return { fold, isOpen: end === ":" };
  }

  /** Class = "[" [ "^" ] ClassItem { ClassItem } "]", where the first item may be "]" itself */
  #parseClass(): CharacterSet {
    const start = this.#at++;
    const isNegated = this.#takes("^");
    let set = NO_CHARACTER;
    do set = unionOf(set, this.#parseClassItem(start));
    while (!this.#takes("]"));
    return isNegated ? complementOf(set) : set;
  }

  /** ClassItem = "[:" name ":]" | UnicodeClass | PerlClass | ClassCharacter [ "-" ClassCharacter ] */
  #parseClassItem(classStart: number): CharacterSet {
    const named = this.#parseAsciiClass() ?? this.#parseUnicodeClass() ?? this.#parsePerlClass();
    if (named !== undefined) return named;
    const start = this.#at;
    const from = this.#parseClassCharacter(classStart);
    let to = from;
    if (this.#isAt("-") && this.#at + 1 < this.#source.length && !this.#isAt("-]")) {
      this.#at++;
      to = this.#parseClassCharacter(classStart);
    }
    if (to < from) throw this.#fault("invalid character class range", start);
    return rangeSet(from, to, { fold: this.#fold });
  }

  #parseClassCharacter(classStart: number): number {
    if (this.#at >= this.#source.length) throw this.#fault("missing closing ]", classStart);
    return this.#isAt("\\") ? this.#parseEscapedCharacter() : this.#takeCodePoint();
  }

  #parseAsciiClass(): CharacterSet | undefined {
    const start = this.#at;
    const match = this.#match(ASCII_CLASS);
    if (match === undefined) return undefined;
    const [, negation = "", name = ""] = match;
    const set = asciiClass(name, { fold: this.#fold });
    if (set === undefined) throw this.#fault("invalid character class range", start);
    return negation === "" ? set : complementOf(set);
  }

  #parsePerlClass(): CharacterSet | undefined {
    if (!this.#isAt("\\")) return undefined;
    const letter = this.#source[this.#at + 1] ?? "";
    const set = perlClass(letter.toLowerCase(), { fold: this.#fold });
    if (set === undefined) return undefined;
    this.#at += 2;
    return letter === letter.toLowerCase() ? set : complementOf(set);
  }

  /** UnicodeClass = ( "\p" | "\P" ) ( letter | "{" [ "^" ] name "}" ) */
  #parseUnicodeClass(): CharacterSet | undefined {
    if (!this.#isAt("\\p") && !this.#isAt("\\P")) return undefined;
    const start = this.#at;
    const match = this.#match(UNICODE_CLASS);
    if (match === undefined) {
      this.#at = this.#source.length;
      throw this.#fault("invalid character class range", start);
    }
    const [, sign, negation = "", name, letter] = match;
    const set = unicodeClass(name ?? letter ?? "", { fold: this.#fold });
    if (set === undefined) throw this.#fault("invalid character class range", start);
    return (sign === "P") === (negation === "") ? complementOf(set) : set;
  }

  /** Escape = "\Q" text [ "\E" ] | UnicodeClass | PerlClass | "\A" | "\z" | "\b" | "\B" | EscapedCharacter */
  #parseEscape(): Counted[] {
    const quoted = this.#match(QUOTED);
    if (quoted !== undefined) {
      return Array.from(quoted[1] ?? "", (character) =>
        charactersOf(this.#single(character.codePointAt(0) ?? 0)),
      );
    }
    const named = this.#parseUnicodeClass() ?? this.#parsePerlClass();
    if (named !== undefined) return [charactersOf(named)];
    const letter = this.#source[this.#at + 1] ?? "";
    const assertion = Object.hasOwn(ASSERTIONS, letter) ? ASSERTIONS[letter] : undefined;
    if (assertion === undefined) {
      return [charactersOf(this.#single(this.#parseEscapedCharacter()))];
    }
    this.#at += 2;
    return [assertionOf(assertion)];
  }

  /** EscapedCharacter = "\" ( "n" and the like | punctuation | octal | "x" hex hex | "x{" hex { hex } "}" ) */
  #parseEscapedCharacter(): number {
    const start = this.#at;
    const match = this.#match(ESCAPED_CODE);
    if (match !== undefined) {
      const [, pair, braced, octal] = match;
      const code = octal === undefined ? parseInt(pair ?? braced ?? "", 16) : parseInt(octal, 8);
      if (code <= CODE_POINT_MAX) return code;
      throw this.#fault("invalid escape sequence", start);
    }
    this.#at++;
    if (this.#at >= this.#source.length) {
      throw new PatternError("trailing backslash at end of expression", "");
    }
    const code = this.#takeCodePoint();
    const character = String.fromCodePoint(code);
    if (Object.hasOwn(ESCAPED_LETTERS, character)) return ESCAPED_LETTERS[character] ?? code;
    if (code >= 0x80 || /[0-9A-Za-z]/.test(character)) {
      throw this.#fault("invalid escape sequence", start);
    }
    return code;
  }

  #single(code: number): CharacterSet {
    return rangeSet(code, code, { fold: this.#fold });
  }

  #isAt(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #takes(text: string): boolean {
    const isHere = this.#isAt(text);
    if (isHere) this.#at += text.length;
    return isHere;
  }

  #takeCodePoint(): number {
    const code = this.#source.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  /**
   * Matches a sticky expression at the current position. Each of them takes time in proportion to the rest of the
   * pattern.
   */
  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source) ?? undefined;
    if (match !== undefined) this.#at = expression.lastIndex;
    return match;
  }

  #fault(why: string, start: number): PatternError {
    return new PatternError(why, this.#source.slice(start, this.#at));
  }
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly isCounted: boolean;
}

const charactersOf = (set: CharacterSet): Counted => ({
  node: { kind: "characters", set },
  product: 1,
});

const assertionOf = (assertion: Assertion): Counted => ({
  node: { kind: "assertion", assertion },
  product: 1,
});

const largestProduct = (items: readonly Counted[]): number =>
  items.reduce((most, { product }) => Math.max(most, product), 1);
