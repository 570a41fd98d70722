import type { Node } from "./ast.ts";
import { describeToken, type ExprToken } from "./tokens.ts";
import { ExprError } from "#expr/diagnostics.ts";
import { DEPTH_MAX } from "#expr/limits.ts";
import type { TextRange } from "#expr/source.ts";

/** The productions that productions of other files contain. */
export interface Productions {
  readonly expression: (p: ExprParser) => Node;
  readonly sequence: (p: ExprParser) => Node;
  /** An expression whose operators have at least the precedence `precedenceMin`. */
  readonly operation: (p: ExprParser, precedenceMin: number) => Node;
}

/** Walks over the tokens of an expression. The productions are functions in the `parse-*.ts` files. */
export class ExprParser {
  readonly source: string;
  readonly parse: Productions;
  /** The visible variables that `let` declares, from the outermost to the innermost. */
  readonly locals: string[] = [];
  /** The number of predicates around the current token. */
  predicates = 0;
  readonly #tokens: readonly ExprToken[];
  #index = 0;
  #depth = 0;

  /** The last token must be of the kind `end`. */
  constructor(source: string, tokens: readonly ExprToken[], productions: Productions) {
    this.source = source;
    this.parse = productions;
    this.#tokens = tokens;
  }

  get token(): ExprToken {
    return this.#tokens[this.#index] ?? NO_TOKEN;
  }

  get next(): ExprToken {
    return this.#tokens[this.#index + 1] ?? NO_TOKEN;
  }

  /** Takes the current token, of any kind. Never goes past the end. */
  take(): ExprToken {
    const { token } = this;
    if (token.kind !== "end") this.#index++;
    return token;
  }

  atSign(sign: string): boolean {
    const { token } = this;
    return token.kind === "sign" && token.value === sign;
  }

  atWord(word: string): boolean {
    const { token } = this;
    return token.kind === "word" && token.value === word;
  }

  accept(sign: string): boolean {
    if (!this.atSign(sign)) return false;
    this.#index++;
    return true;
  }

  expect(sign: string): ExprToken {
    if (!this.atSign(sign)) this.fail(`'${sign}'`);
    return this.take();
  }

  expectWord(word: string): void {
    if (!this.atWord(word)) this.fail(`'${word}'`);
    this.take();
  }

  /** Throws a diagnostic that says what was expected instead of the current token. */
  fail(expected?: string): never {
    const { token, source } = this;
    const found = `unexpected token ${describeToken(token, source)}`;
    const message = expected === undefined ? found : `${found}, expected ${expected}`;
    throw new ExprError("unexpected-token", message, rangeOf(token));
  }

  /** Enters a level of nesting. Throws if the expression is nested too deeply. */
  enter(): void {
    if (++this.#depth > DEPTH_MAX) {
      const message = `an expression is nested at most ${DEPTH_MAX} levels deep, operators included`;
      throw new ExprError("limit-exceeded", message, rangeOf(this.token));
    }
  }

  leave(levels = 1): void {
    this.#depth -= levels;
  }
}

/** The range of a token, without its other fields, which do not belong in a diagnostic. */
export const rangeOf = ({ start, end }: TextRange): TextRange => ({ start, end });

const NO_TOKEN: ExprToken = { kind: "end", start: 0, end: 0 };
