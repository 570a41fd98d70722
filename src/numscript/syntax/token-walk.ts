import type { Runtime } from "./ast.ts";
import { type Diagnostic, ScriptError } from "./diagnostics.ts";
import type { Range } from "./source.ts";
import { describeKind, describeToken, type Token } from "./tokens.ts";
import { DEPTH_MAX } from "#numscript/limits.ts";

/** The tokens of a script with the position of the parser. The productions of the grammar are functions in the `parse-*.ts` files. */
export class Parser {
  readonly isMachine: boolean;
  readonly diagnostics: Diagnostic[] = [];
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  /** The last token must be of the kind `end`. */
  constructor(tokens: readonly Token[], runtime: Runtime) {
    this.#tokens = tokens;
    this.isMachine = runtime === "machine";
  }

  get token(): Token {
    return this.#at(this.#index);
  }

  get next(): Token {
    return this.#at(this.#index + 1);
  }

  at(kind: Token["kind"]): boolean {
    return this.token.kind === kind;
  }

  /** Takes the current token. The token `end` is never passed. */
  take(): Token {
    const { token } = this;
    if (token.kind !== "end") this.#index++;
    return token;
  }

  /** Takes the current token if it is of this kind. */
  accept(kind: Token["kind"]): boolean {
    if (!this.at(kind)) return false;
    this.take();
    return true;
  }

  /** Takes a token of this kind. Throws if the current token is of another kind. */
  expect(kind: Token["kind"]): Token {
    if (!this.at(kind)) this.fail(describeKind(kind));
    return this.take();
  }

  /** Takes a run of line breaks, which separates lines for the machine and means nothing to the interpreter. */
  expectNewline(): void {
    if (this.isMachine) this.expect("newline");
  }

  skipNewlines(): void {
    while (this.accept("newline"));
  }

  /** Throws a diagnostic that says what was expected instead of the current token. */
  fail(expected: string): never {
    const { token } = this;
    throw new ScriptError("syntax", "unexpected-token", {
      message: `expected ${expected}, found ${describeToken(token)}`,
      range: rangeOf(token),
    });
  }

  /** Enters a level of nesting. Throws "limit-exceeded" if the script is nested too deeply. */
  enter(): void {
    if (++this.#depth > DEPTH_MAX) {
      throw new ScriptError("syntax", "limit-exceeded", {
        message: `a script is nested at most ${DEPTH_MAX} levels deep, operators included`,
        range: rangeOf(this.token),
      });
    }
  }

  leave(levels = 1): void {
    this.#depth -= levels;
  }

  /** The range from an offset to the end of the last token. */
  rangeFrom(start: number): Range {
    return { start, end: Math.max(start, this.#at(this.#index - 1).end) };
  }

  /**
   * Returns the result of `parse`. After an error, it reports a diagnostic, skips to the next token for which `isStart`
   * holds (panic-mode recovery), and returns undefined.
   */
  recover<T>(parse: () => T, isStart: (token: Token) => boolean): T | undefined {
    const index = this.#index;
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      this.diagnostics.push(error.diagnostic);
      this.#depth = 0;
      if (this.#index === index) this.take();
      while (!this.at("end") && !isStart(this.token)) this.take();
      return undefined;
    }
  }

  #at(index: number): Token {
    return this.#tokens[Math.max(0, Math.min(index, this.#tokens.length - 1))] ?? NO_TOKEN;
  }
}

/** The range of a token, without its other fields, which don't belong in a diagnostic. */
export const rangeOf = ({ start, end }: Range): Range => ({ start, end });

const NO_TOKEN: Token = { kind: "end", start: 0, end: 0, text: "" };
