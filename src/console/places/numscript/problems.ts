import type { Report } from "./queries.ts";
import { ApiError } from "#console/api/errors.ts";
import { offsetsOf } from "#console/parts/editor/positions.ts";
import type { Mistake } from "#console/parts/editor/types.ts";

/** A problem of a script, with its line for people. */
export interface Problem extends Mistake {
  readonly line: number;
  readonly code: string;
}

/** What to do about a problem, by its code. */
export type Hints = Readonly<Record<string, string>>;

/** The problems that the check of a script has found. */
export const problemsOf = (
  script: string,
  { diagnostics }: Pick<Report, "diagnostics">,
  hints: Hints,
): Problem[] =>
  diagnostics.map(({ code, severity, message, range }) => ({
    ...offsetsOf(script, range),
    line: range.start.line + 1,
    code,
    severity,
    message: withHint(message, hints[code]),
  }));

/** The problems that a run has found: `3:12-3:17 missing-funds` in the details of the answer, a line each. */
export function failuresOf(
  script: string,
  error: Pick<ApiError, "message" | "details">,
  hints: Hints,
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
    message: withHint(messages[index] ?? messages[0] ?? "", hints[code]),
  }));
}

/** An error as sentences: the editor shows the code and the excerpts of the script. */
export const plainError = (error: ApiError): ApiError =>
  new ApiError(messagesIn(error.message).map(toSentence).join(" "), error);

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
const withHint = (message: string, hint: string | undefined): string =>
  hint === undefined ? toSentence(message) : `${toSentence(message)} ${hint}`;

const toSentence = (message: string): string =>
  `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${/[.?!]$/.test(message) ? "" : "."}`;
