import { type CharacterSets, namedSet } from "./character-sets.ts";
import { type Assertion, PatternError, type PatternNode } from "./pattern-tree.ts";

/** Longest pattern, in characters. */
export const PATTERN_LENGTH_MAX = 1000;
/** Deepest nesting of groups in a pattern. */
export const PATTERN_DEPTH_MAX = 100;

/** The largest count of a repetition, also as the product of nested counts; the limit of RE2. */
const REPEAT_MAX = 1000;

/** Parses a regular expression in the syntax of RE2, by recursive descent. Throws `PatternError`. */
export function parsePattern<S>(source: string, sets: CharacterSets<S>): PatternNode<S> {
  if (source.length > PATTERN_LENGTH_MAX) {
    throw new PatternError(`more than ${PATTERN_LENGTH_MAX} characters`, source);
  }
  return new PatternParser(source, sets).parse();
}

/** A tree, and the largest product of counts on any path into it. */
interface Counted<S> {
  readonly node: PatternNode<S>;
  readonly product: number;
}

const COUNTS = /\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/y;
const FLAGS = /\(\?([imsU]*)(-[imsU]+)?([:)])/y;
/** Flags, up to and including the first invalid character. */
const ANY_FLAGS = /\(\?[imsU-]*.?/sy;
const NAMED_GROUP = /\(\?P?<\w+>/y;
/** The beginning of a named group, if any text follows. */
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

/** The flags of `(?ims)`: letters match in both cases, `^` and `$` match at each line, `.` also matches a line break. */
interface Flags {
  readonly fold: boolean;
  readonly byLine: boolean;
  readonly dotAll: boolean;
}

const LINE_BREAK = 0x0a;

class PatternParser<S> {
  readonly #source: string;
  readonly #sets: CharacterSets<S>;
  #at = 0;
  #depth = 0;
  #flags: Flags = { fold: false, byLine: false, dotAll: false };

  constructor(source: string, sets: CharacterSets<S>) {
    this.#source = source;
    this.#sets = sets;
  }

  /** Pattern = Choice */
  parse(): PatternNode<S> {
    const { node } = this.#parseChoice();
    if (this.#at < this.#source.length) throw new PatternError("unexpected )", this.#source);
    return node;
  }

  /** Choice = Sequence { "|" Sequence } */
  #parseChoice(): Counted<S> {
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
  #parseSequence(): Counted<S> {
    const items: Counted<S>[] = [];
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
    // Greed changes the matched text, but not whether the pattern matches.
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
    { node, product }: Counted<S>,
    { least, most, isCounted }: Bounds,
    start: number,
  ): Counted<S> {
    const repeated = { kind: "repetition", item: node, least, most } as const;
    if (!isCounted) return { node: repeated, product };
    const times = most === Infinity ? least : most;
    const total = Math.max(times, 1) * product;
    if (times > 1 && total > REPEAT_MAX) throw this.#fault("invalid repeat count", start);
    return { node: repeated, product: times === 0 && most === 0 ? 1 : total };
  }

  /** Atom = Group | Class | Escape | "." | "^" | "$" | character. Flags make no item, quoted text makes many. */
  #parseAtom(): Counted<S>[] {
    if (this.#isAt("(")) return this.#parseGroup();
    if (this.#isAt("[")) return [charactersOf(this.#parseClass())];
    if (this.#isAt("\\")) return this.#parseEscape();
    if (this.#takes(".")) return [charactersOf(this.#dot())];
    if (this.#takes("^")) return [assertionOf(this.#flags.byLine ? "lineStart" : "start")];
    if (this.#takes("$")) return [assertionOf(this.#flags.byLine ? "lineEnd" : "end")];
    return [charactersOf(this.#single(this.#takeCodePoint()))];
  }

  /** Group = "(" [ "?:" | "?flags:" | "?<name>" | "?P<name>" ] Choice ")" | "(?flags)" */
  #parseGroup(): Counted<S>[] {
    const outer = this.#flags;
    const given = this.#source.startsWith("(?", this.#at) ? this.#parseFlags() : undefined;
    if (given === undefined) this.#at++;
    else this.#flags = given.flags;
    if (given?.isOpen === false) return [];
    if (++this.#depth > PATTERN_DEPTH_MAX) {
      throw new PatternError("expression nests too deeply", this.#source);
    }
    const choice = this.#parseChoice();
    if (!this.#takes(")")) throw new PatternError("missing closing )", this.#source);
    this.#depth--;
    this.#flags = outer;
    return [choice];
  }

  #parseFlags(): { readonly flags: Flags; readonly isOpen: boolean } {
    if (this.#match(NAMED_GROUP) !== undefined) return { flags: this.#flags, isOpen: true };
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
    const isSet = (flag: string, before: boolean) =>
      (before || set.includes(flag)) && !cleared.includes(flag);
    const { fold, byLine, dotAll } = this.#flags;
    const flags = {
      fold: isSet("i", fold),
      byLine: isSet("m", byLine),
      dotAll: isSet("s", dotAll),
    };
    return { flags, isOpen: end === ":" };
  }

  /** Class = "[" [ "^" ] ClassItem { ClassItem } "]", where the first item may be "]" itself */
  #parseClass(): S {
    const start = this.#at++;
    const isNegated = this.#takes("^");
    let set = this.#sets.none;
    do set = this.#sets.unionOf(set, this.#parseClassItem(start));
    while (!this.#takes("]"));
    return isNegated ? this.#sets.complementOf(set) : set;
  }

  /** ClassItem = "[:" name ":]" | UnicodeClass | PerlClass | ClassCharacter [ "-" ClassCharacter ] */
  #parseClassItem(classStart: number): S {
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
    return this.#sets.rangeSet(from, to, this.#flags);
  }

  #parseClassCharacter(classStart: number): number {
    if (this.#at >= this.#source.length) throw this.#fault("missing closing ]", classStart);
    return this.#isAt("\\") ? this.#parseEscapedCharacter() : this.#takeCodePoint();
  }

  #parseAsciiClass(): S | undefined {
    const start = this.#at;
    const match = this.#match(ASCII_CLASS);
    if (match === undefined) return undefined;
    const [, negation = "", name = ""] = match;
    const set = namedSet(this.#sets, { kind: "ascii", name }, this.#flags);
    if (set === undefined) throw this.#fault("invalid character class range", start);
    return negation === "" ? set : this.#sets.complementOf(set);
  }

  #parsePerlClass(): S | undefined {
    if (!this.#isAt("\\")) return undefined;
    const letter = this.#source[this.#at + 1] ?? "";
    const set = namedSet(this.#sets, { kind: "perl", name: letter.toLowerCase() }, this.#flags);
    if (set === undefined) return undefined;
    this.#at += 2;
    return letter === letter.toLowerCase() ? set : this.#sets.complementOf(set);
  }

  /** UnicodeClass = ( "\p" | "\P" ) ( letter | "{" [ "^" ] name "}" ) */
  #parseUnicodeClass(): S | undefined {
    if (!this.#isAt("\\p") && !this.#isAt("\\P")) return undefined;
    const start = this.#at;
    const match = this.#match(UNICODE_CLASS);
    if (match === undefined) {
      this.#at = this.#source.length;
      throw this.#fault("invalid character class range", start);
    }
    const [, sign, negation = "", name, letter] = match;
    const set = this.#sets.unicodeClass(name ?? letter ?? "", this.#flags);
    if (set === undefined) throw this.#fault("invalid character class range", start);
    return (sign === "P") === (negation === "") ? this.#sets.complementOf(set) : set;
  }

  /** Escape = "\Q" text [ "\E" ] | UnicodeClass | PerlClass | "\A" | "\z" | "\b" | "\B" | EscapedCharacter */
  #parseEscape(): Counted<S>[] {
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

  #single(code: number): S {
    return this.#sets.rangeSet(code, code, this.#flags);
  }

  #dot(): S {
    const { none, complementOf, rangeSet } = this.#sets;
    const excluded = this.#flags.dotAll ? none : rangeSet(LINE_BREAK, LINE_BREAK, { fold: false });
    return complementOf(excluded);
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

  /** Matches a sticky expression at the current position, in O(rest of the pattern) time. */
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

const charactersOf = <S>(set: S): Counted<S> => ({
  node: { kind: "characters", set },
  product: 1,
});

const assertionOf = <S>(assertion: Assertion): Counted<S> => ({
  node: { kind: "assertion", assertion },
  product: 1,
});

const largestProduct = <S>(items: readonly Counted<S>[]): number =>
  items.reduce((most, { product }) => Math.max(most, product), 1);
