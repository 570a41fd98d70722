import { type Runtime, VALUE_TYPES } from "./ast.ts";
import { type Diagnostic, errorAt } from "./diagnostics.ts";
import type { Range } from "./source.ts";
import {
  INTERPRETER_KEYWORDS,
  type Lexeme,
  MACHINE_WORDS,
  PUNCTUATION,
  type Token,
} from "./tokens.ts";
import { DIAGNOSTICS_MAX, TOKENS_MAX } from "#numscript/limits.ts";

/** A line comment. `text` is the text after its slashes. */
export interface Comment {
  readonly text: string;
  readonly range: Range;
}

export interface Lexed {
  /** The tokens. The last token is of the kind `end`. */
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Splits a script into tokens. The longest token wins (maximal munch). A character that starts no token is reported and left
 * out. Line breaks are tokens of the machine; a line comment includes the line break that ends it.
 */
export function lex(source: string, runtime: Runtime): Lexed {
  return new Lexer(source, runtime).run();
}

/** Matches the next token at `lastIndex`: a class of tokens, and its pattern. */
type Rule = readonly [kind: Token["kind"], pattern: RegExp];

const STRING: Rule = ["string", /"(?:\\"|[^\r\n"])*"/y];
const VARIABLE: Rule = ["variable", /\$[a-z_]+[a-z0-9_]*/y];
const PERCENTAGE: Rule = ["percentage", /[0-9]+(?:\.[0-9]+)?%/y];

const MACHINE_ACCOUNT: Rule = ["account", /@[a-zA-Z0-9_-]+(?::[a-zA-Z0-9_-]+)*/y];
const MACHINE_ASSET: Rule = ["asset", /[A-Z/0-9]+/y];
/** The rules for tokens that begin with a digit. Of equally long tokens, the first rule wins. */
const MACHINE_DIGITS: readonly Rule[] = [
  ["fraction", /[0-9]+ ?\/ ?[0-9]+/y],
  PERCENTAGE,
  ["number", /[0-9]+/y],
  MACHINE_ASSET,
];
/** The words of the machine that are tokens of the class `type`. */
const TYPE_WORDS: ReadonlySet<string> = new Set(VALUE_TYPES);
const MACHINE_WORD = new RegExp(MACHINE_WORDS.join("|"), "y");

const INTERPRETER_ACCOUNT: Rule = ["account", /@(?:[a-zA-Z0-9_-]+|\$[a-z_]+[a-z0-9_]*)/y];
const INTERPRETER_PIECE: Rule = ["accountPiece", /:(?:[a-zA-Z0-9_-]+|\$[a-z_]+[a-z0-9_]*)/y];
const INTERPRETER_ASSET: Rule = ["asset", /[A-Z][A-Z0-9]*(?:\/[0-9]+)?/y];
const INTERPRETER_DIGITS: readonly Rule[] = [PERCENTAGE, ["number", /[0-9]+(?:_[0-9]+)*/y]];
const INTERPRETER_WORD = /[a-z]+[a-z_]*/y;

const LINE_BREAKS = /[\r\n]+/y;
const LINE_COMMENT = /\/\/([^\r\n]*)[\r\n]+/y;
const COMMENT_DELIMITER = /\/\*|\*\//g;

class Lexer {
  readonly #source: string;
  readonly #runtime: Runtime;
  readonly #punctuation: ReadonlyMap<string, Lexeme>;
  readonly #tokens: Token[] = [];
  readonly #comments: Comment[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  /** The position of the last line break, which is looked up once, so that many unclosed line comments take no longer than one. */
  readonly #lastBreak: number;
  /** The position of the last end of a block comment. */
  readonly #lastClose: number;
  #offset = 0;

  constructor(source: string, runtime: Runtime) {
    this.#source = source;
    this.#runtime = runtime;
    this.#punctuation = PUNCTUATION[runtime];
    this.#lastBreak = Math.max(source.lastIndexOf("\n"), source.lastIndexOf("\r"));
    this.#lastClose = source.lastIndexOf("*/");
  }

  run(): Lexed {
    const { length } = this.#source;
    while (this.#offset < length && this.#diagnostics.length < DIAGNOSTICS_MAX) {
      if (this.#tokens.length >= TOKENS_MAX) {
        this.#report("limit-exceeded", `a script has at most ${TOKENS_MAX} tokens`);
        break;
      }
      if (!this.#skip() && !this.#read()) this.#refuse();
    }
    this.#tokens.push({ kind: "end", start: length, end: length, text: "" });
    return { tokens: this.#tokens, comments: this.#comments, diagnostics: this.#diagnostics };
  }

  /** Skips a blank or a comment. Returns whether it has skipped one. */
  #skip(): boolean {
    switch (this.#source[this.#offset]) {
      case " ":
      case "\t":
        this.#offset++;
        return true;
      case "\r":
      case "\n":
        if (this.#runtime === "machine") return false;
        this.#offset++;
        return true;
      case "/":
        return this.#skipLineComment() || this.#skipBlockComment();
      default:
        return false;
    }
  }

  #skipLineComment(): boolean {
    if (this.#offset > this.#lastBreak) return false;
    LINE_COMMENT.lastIndex = this.#offset;
    const match = LINE_COMMENT.exec(this.#source);
    if (match === null) return false;
    const [, text = ""] = match;
    const start = this.#offset;
    this.#comments.push({ text, range: { start, end: start + 2 + text.length } });
    this.#offset = LINE_COMMENT.lastIndex;
    return true;
  }

  /** Skips a block comment. Comments nest. If an inner comment is not closed, the comment ends at the last end mark of the script. */
  #skipBlockComment(): boolean {
    const start = this.#offset;
    // The end must not overlap the beginning: `/*/` is no comment.
    if (!this.#source.startsWith("/*", start) || this.#lastClose < start + 2) return false;
    this.#offset = this.#lastClose + 2;
    let depth = 0;
    COMMENT_DELIMITER.lastIndex = start;
    for (;;) {
      const delimiter = COMMENT_DELIMITER.exec(this.#source)?.[0];
      if (delimiter === undefined) return true;
      depth += delimiter === "/*" ? 1 : -1;
      if (depth > 0) continue;
      this.#offset = COMMENT_DELIMITER.lastIndex;
      return true;
    }
  }

  #read(): boolean {
    const first = this.#source.charCodeAt(this.#offset);
    if (first === 0x22) return this.#match(STRING);
    if (first === 0x24) return this.#match(VARIABLE);
    return this.#runtime === "machine" ? this.#readMachine(first) : this.#readInterpreter(first);
  }

  #readMachine(first: number): boolean {
    if (isLower(first)) {
      MACHINE_WORD.lastIndex = this.#offset;
      const [word] = MACHINE_WORD.exec(this.#source) ?? [];
      if (word === undefined) return false;
      return this.#add(TYPE_WORDS.has(word) ? "type" : (word as Lexeme), word); // the pattern matches only these words
    }
    if (isDigit(first)) return this.#longest(MACHINE_DIGITS);
    if (isUpper(first) || first === 0x2f) return this.#match(MACHINE_ASSET);
    if (first === 0x40) return this.#match(MACHINE_ACCOUNT);
    if (first === 0x0a || first === 0x0d) return this.#match(["newline", LINE_BREAKS]);
    return this.#readPunctuation(1);
  }

  #readInterpreter(first: number): boolean {
    if (isLower(first)) {
      INTERPRETER_WORD.lastIndex = this.#offset;
      const [word = ""] = INTERPRETER_WORD.exec(this.#source) ?? [];
      return this.#add(INTERPRETER_KEYWORDS.get(word) ?? "identifier", word);
    }
    if (isDigit(first)) return this.#longest(INTERPRETER_DIGITS);
    if (isUpper(first)) return this.#match(INTERPRETER_ASSET);
    if (first === 0x40) return this.#match(INTERPRETER_ACCOUNT);
    if (first === 0x3a) return this.#match(INTERPRETER_PIECE);
    return this.#readPunctuation(first === 0x23 ? 2 : 1);
  }

  #readPunctuation(length: number): boolean {
    const text = this.#source.substring(this.#offset, this.#offset + length);
    const kind = this.#punctuation.get(text);
    return kind !== undefined && this.#add(kind, text);
  }

  #longest(rules: readonly Rule[]): boolean {
    let kind: Token["kind"] = "number";
    let text = "";
    for (const [candidate, pattern] of rules) {
      pattern.lastIndex = this.#offset;
      const [match = ""] = pattern.exec(this.#source) ?? [];
      if (match.length > text.length) [kind, text] = [candidate, match];
    }
    return this.#add(kind, text);
  }

  #match([kind, pattern]: Rule): boolean {
    pattern.lastIndex = this.#offset;
    const match = pattern.exec(this.#source);
    return match !== null && this.#add(kind, match[0]);
  }

  #add(kind: Token["kind"], text: string): true {
    const start = this.#offset;
    const end = start + text.length;
    this.#tokens.push({ kind, start, end, text });
    this.#offset = end;
    return true;
  }

  /** Reports a character that starts no token, together with the letters that follow it. */
  #refuse(): void {
    const { length } = this.#source;
    const start = this.#offset;
    this.#offset += String.fromCodePoint(this.#source.codePointAt(start) ?? 0).length;
    while (this.#offset < length && isLetter(this.#source.charCodeAt(this.#offset))) this.#offset++;
    const text = this.#source.slice(start, Math.min(this.#offset, start + SHOWN_MAX));
    this.#diagnostics.push(
      errorAt("unexpected-character", explain(text), { start, end: this.#offset }),
    );
  }

  #report(code: Diagnostic["code"], message: string): void {
    this.#diagnostics.push(errorAt(code, message, { start: this.#offset, end: this.#offset }));
  }
}

/** Longest part of unexpected text that a message repeats, in characters. */
const SHOWN_MAX = 40;

function explain(text: string): string {
  switch (text[0]) {
    case '"':
      return "expected a closing quote on the same line";
    case "@":
      return "expected an account name after '@': letters, digits, '_' and '-', in segments separated by ':'";
    case "$":
      return "expected a variable name after '$': lower case letters, digits and '_'";
    case "/":
      return "expected a line break after a line comment";
    default:
      return `expected a word or sign of the language, found '${text}'`;
  }
}

const isLower = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;
const isUpper = (unit: number): boolean => unit >= 0x41 && unit <= 0x5a;
const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
const isLetter = (unit: number): boolean => isLower(unit) || isUpper(unit) || unit === 0x5f;
