import type { Program, Runtime } from "./ast.ts";
import { type Diagnostic, errorAt } from "./diagnostics.ts";
import { type Comment, lex } from "./lexer.ts";
import { parseScript } from "./parse-script.ts";
import { Parser } from "./token-walk.ts";
import { DIAGNOSTICS_MAX, SOURCE_LENGTH_MAX } from "#numscript/limits.ts";

export interface ParseResult {
  /** The program. If there are diagnostics, it contains the statements without syntax errors. */
  readonly program: Program;
  readonly comments: readonly Comment[];
  /** The syntax errors by position; empty if the text is a script. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Parses a script by recursive descent. An error in one statement does not hide errors in later statements. */
export function parseProgram(source: string, runtime: Runtime): ParseResult {
  if (source.length > SOURCE_LENGTH_MAX) {
    const message = `a script has at most ${SOURCE_LENGTH_MAX} characters, this one has ${source.length}`;
    return { program: EMPTY, comments: [], diagnostics: [errorAt("limit-exceeded", message)] };
  }
  const { tokens, comments, diagnostics } = lex(source, runtime);
  const parser = new Parser(tokens, runtime);
  const program = parseScript(parser);
  return {
    program,
    comments,
    diagnostics: [...diagnostics, ...parser.diagnostics]
      .toSorted((a, b) => (a.range?.start ?? 0) - (b.range?.start ?? 0))
      .slice(0, DIAGNOSTICS_MAX),
  };
}

const EMPTY: Program = { features: [], variables: [], statements: [] };
