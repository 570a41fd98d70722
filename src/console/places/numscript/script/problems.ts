import type { ApiError } from "#console/api/errors.ts";
import { offsetsOf } from "#console/parts/editor/positions.ts";
import type { Mistake } from "#console/parts/editor/types.ts";
import type { Report } from "#console/places/numscript/queries.ts";
import { numscriptWords } from "#console/places/numscript/words.ts";

/** A problem of a script, with its line for people. */
export interface Problem extends Mistake {
  readonly line: number;
  readonly code: string;
}

/** The problems that the check of a script has found. */
export const problemsOf = (script: string, { diagnostics }: Report): Problem[] =>
  diagnostics.map(({ code, severity, message, range }) => ({
    ...offsetsOf(script, range),
    line: range.start.line + 1,
    code,
    severity,
    message: withHint(message, code),
  }));

/** The problems that a run has found: `3:12-3:17 missing-funds` in the details of the answer, a line each. */
export function failuresOf(
  script: string,
  error: Pick<ApiError, "message" | "details">,
): Problem[] {
  const messages = messagesIn(error.message);
  const lines = (error.details ?? "").split("\n").flatMap((line) => {
    const found = PLACE.exec(line);
    return found === null ? [] : [found];
  });
  return lines.map(([, startLine, startColumn, endLine, endColumn, code = ""], index) => ({
    ...offsetsOf(script, {
      start: { line: Number(startLine) - 1, character: Number(startColumn) - 1 },
      end: { line: Number(endLine) - 1, character: Number(endColumn) - 1 },
    }),
    line: Number(startLine),
    code,
    severity: "error",
    message: withHint(messages[index] ?? messages[0] ?? "", code),
  }));
}

const PLACE = /^(\d+):(\d+)-(\d+):(\d+) ([a-z-]+)$/;
/** A line of the excerpt that follows each message. */
const EXCERPT = /^ *\d* \| /;

/** The messages of an answer, without its code and without excerpts of the script, which the editor shows. */
const messagesIn = (text: string): string[] =>
  text
    .replace(/^\[[A-Z_]+\] /, "")
    .split("\n")
    .filter((line) => line !== "" && !EXCERPT.test(line));

/** The message as a sentence, and what to do. */
function withHint(message: string, code: string): string {
  const sentence = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`;
  const hint = numscriptWords().hints[code];
  return hint === undefined ? sentence : `${sentence.replace(/[.]$/, "")}. ${hint}`;
}
