import { excerptOf, LineIndex, type Range } from "./source.ts";
import { DIAGNOSTICS_MAX } from "#numscript/limits.ts";

/** An error or warning about a script or its run: a stable code, a text for people, and the position, if there is one. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly range?: Range;
}

/** Codes of diagnostics. They are part of the API, and keep their meaning. */
export type DiagnosticCode =
  // Syntax errors, and limits
  | "unexpected-character"
  | "unexpected-token"
  | "invalid-escape"
  | "limit-exceeded"
  // Errors of the checks before a run
  | "invalid-type"
  | "duplicate-variable"
  | "unbound-variable"
  | "unused-variable"
  | "type-mismatch"
  | "asset-mismatch"
  | "inferred-asset"
  | "invalid-portion"
  | "portions-below-one"
  | "portions-above-one"
  | "portions-may-differ-from-one"
  | "redundant-remaining"
  | "duplicate-remaining"
  | "remaining-not-last"
  | "division-by-zero"
  | "unknown-function"
  | "wrong-arity"
  | "overdraft-on-world"
  | "send-all-allotment"
  | "send-all-unbounded"
  | "emptied-account"
  | "unreachable-source"
  | "unknown-feature"
  | "version-mismatch"
  | "experimental-feature"
  // Errors of a run
  | "missing-variable"
  | "extraneous-variable"
  | "invalid-variable"
  | "world-as-source"
  | "missing-funds"
  | "negative-amount"
  | "negative-balance"
  | "invalid-value"
  | "invalid-account"
  | "invalid-color"
  | "invalid-share"
  | "invalid-posting"
  | "invalid-meta-call"
  | "invalid-scaling"
  | "missing-account"
  | "missing-metadata"
  | "repeated-balance"
  | "explicit-failure";

/** The kind of a failure, for callers that report it. */
export type FailureReason =
  /** The text is not a script. */
  | "syntax"
  /** The script, or a given variable, is refused before the run. */
  | "invalid"
  /** A source does not have enough. */
  | "missing-funds"
  /** The script reads metadata of an account that does not exist. */
  | "missing-account"
  /** A statement failed for another reason. */
  | "runtime";

export interface ScriptFailure {
  readonly reason: FailureReason;
  /** At least one diagnostic. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Stops a compilation or a run. `index.ts` turns it into a `ScriptFailure`, so that it never leaves this folder. */
export class ScriptError extends Error {
  readonly reason: FailureReason;
  readonly diagnostic: Diagnostic;

  constructor(
    reason: FailureReason,
    code: DiagnosticCode,
    { message, range }: { message: string; range?: Range | undefined },
  ) {
    super(message);
    this.name = "ScriptError";
    this.reason = reason;
    this.diagnostic = {
      code,
      severity: "error",
      message,
      ...(range === undefined ? {} : { range }),
    };
  }
}

export const errorAt = (code: DiagnosticCode, message: string, range?: Range): Diagnostic => ({
  code,
  severity: "error",
  message,
  ...(range === undefined ? {} : { range }),
});

/** Prints diagnostics for the author of a script: each message, with an excerpt of the source. */
export function printDiagnostics(source: string, diagnostics: readonly Diagnostic[]): string {
  const lines = new LineIndex(source);
  return diagnostics
    .slice(0, DIAGNOSTICS_MAX)
    .map(({ message, range }) => {
      const text = message.length > SHOWN_MAX ? `${message.slice(0, SHOWN_MAX)}…` : message;
      return range === undefined ? text : `${text}\n${excerptOf(source, range, lines)}`;
    })
    .join("\n");
}

/** Longest part of a message that is printed, in characters. Some messages repeat names and values of any length. */
const SHOWN_MAX = 1000;

/** Prints one line for each diagnostic that has a position: `3:12-3:17 unbound-variable`. Lines and columns count from 1. */
export function printPositions(source: string, diagnostics: readonly Diagnostic[]): string {
  const lines = new LineIndex(source);
  return diagnostics
    .slice(0, DIAGNOSTICS_MAX)
    .flatMap(({ code, range }) => {
      if (range === undefined) return [];
      const [start, end] = [lines.positionOf(range.start), lines.positionOf(range.end)];
      return [`${start.line}:${start.column}-${end.line}:${end.column} ${code}`];
    })
    .join("\n");
}
