import { ApiError } from "#console/api/errors.ts";
import { offsetsOf } from "#console/parts/editor/positions.ts";
import type { Mistake } from "#console/parts/editor/types.ts";

/** The answer to a definition that was refused. */
export interface Refusal {
  readonly text: string;
  readonly error: Error;
}

const PLACE = /^line (\d+), column (\d+)$/;

/** The place of a refusal's problem, in the API's words: `line 3, column 23`. */
export const placeOf = (error: Error | null): string | undefined =>
  error instanceof ApiError && error.details !== undefined && PLACE.test(error.details)
    ? error.details
    : undefined;

/** The mistakes that are known of a text: that of the refusal, if the text is still the refused one. The mark ends with the line. */
export function mistakesOf(text: string, refusal: Refusal | undefined): readonly Mistake[] {
  if (refusal === undefined || refusal.text !== text) return [];
  const [, line, column] = PLACE.exec(placeOf(refusal.error) ?? "") ?? [];
  if (line === undefined || column === undefined) return [];
  const start = { line: Number(line) - 1, character: Number(column) - 1 };
  const { from } = offsetsOf(text, { start, end: start });
  const end = text.indexOf("\n", from);
  const to = Math.max(end === -1 ? text.length : end, from + 1);
  const { message } = refusal.error;
  return [{ from, to: Math.min(to, text.length), severity: "error", message }];
}
