import { type TextRange, withExcerpt } from "./source.ts";

/** Codes of diagnostics. They are part of the API: a code keeps its meaning. */
export type ExprCode =
  // Errors of the parser.
  | "unexpected-character"
  | "unexpected-token"
  | "invalid-literal"
  | "invalid-pointer"
  | "invalid-declaration"
  | "mixed-coalescing"
  | "wrong-arity"
  | "invalid-pattern"
  | "limit-exceeded"
  // Likely mistakes, which only a check reports.
  | "unknown-name"
  | "unknown-function"
  | "not-boolean"
  // Errors of an evaluation.
  | "missing-member"
  | "invalid-operation"
  | "invalid-argument"
  | "division-by-zero"
  | "invalid-number"
  | "host-error";

/** An error of an expression or its evaluation: a code that never changes, a text for people, and a position. */
export interface ExprDiagnostic {
  readonly code: ExprCode;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** The position; absent for errors of the caller's functions, whose messages need none. */
  readonly range?: TextRange;
}

/** The error that stops a parse or an evaluation. It stays inside of the folder: `index.ts` turns it into an `ExprDiagnostic`. */
export class ExprError extends Error {
  readonly code: ExprCode;
  range: TextRange | undefined;

  constructor(code: ExprCode, message: string, range?: TextRange) {
    super(message);
    this.name = "ExprError";
    this.code = code;
    this.range = range;
  }
}

export const toDiagnostic = ({ code, message, range }: ExprError): ExprDiagnostic => ({
  code,
  severity: "error",
  message,
  ...(range === undefined || code === "host-error" ? {} : { range }),
});

/** A message in the form of the reference: `invalid operation: <nil> + <nil> (1:3)`, and the line with a caret. */
export const printDiagnostic = (source: string, { message, range }: ExprDiagnostic): string =>
  range === undefined ? message : withExcerpt(message, source, range.start);
