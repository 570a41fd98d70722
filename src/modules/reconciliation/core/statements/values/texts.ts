import type { Field } from "./field.ts";
import {
  FIELD_CHARS_MAX,
  RAW_CHARS_MAX,
} from "#modules/reconciliation/core/statements/model/limits.ts";
import { StatementError } from "#modules/reconciliation/core/statements/model/statement-error.ts";

/** The text without white space around it; undefined when nothing is left. */
export function textOf(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === "" ? undefined : trimmed;
}

/** A reference; undefined for the words with which banks say that there is none. */
export function referenceOf(text: string | undefined): string | undefined {
  const reference = textOf(text);
  return reference === undefined || NO_REFERENCE.test(reference) ? undefined : reference;
}

const NO_REFERENCE = /^(?:NOTPROVIDED|NOT ?PROVIDED|NONREF|NOREF|NONE)$/i;

/** Joins texts by blanks, and cuts what is too long. */
export function joinTexts(texts: readonly (string | undefined)[]): string | undefined {
  const joined = texts.flatMap((text) => textOf(text) ?? []).join(" ");
  return joined === "" ? undefined : cutText(joined);
}

/** Cuts a text that is longer than a line may carry, never inside of a character. */
export const cutText = (text: string): string =>
  text.length <= RAW_CHARS_MAX ? text : text.slice(0, RAW_CHARS_MAX).toWellFormed();

/** Throws `StatementError` for a value that is too long. */
export function assertFieldLength(field: Field, what: string): void {
  // The position of a field may have to be looked for.
  if (field.text.length <= FIELD_CHARS_MAX) return;
  const message = `${what} is longer than ${FIELD_CHARS_MAX} characters.`;
  throw new StatementError("LIMIT", message, field.position);
}
