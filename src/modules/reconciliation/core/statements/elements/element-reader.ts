import type { RawText } from "./raw-text.ts";
import { FIELD_CHARS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import type { FilePosition } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";

/** The beginning of an element. */
export interface ElementStart {
  /** The name without prefix. */
  readonly name: string;
  readonly namespace: string;
  /** Values of attributes by names as they are written. */
  readonly attributes: ReadonlyMap<string, Field>;
  /** Where its tag begins. */
  readonly position: FilePosition;
}

/** What a reader of elements is told. Elements inside of elements come in the order of the file. */
export interface ElementHandler {
  open(element: ElementStart): void;
  /** The element that was opened last and not closed ends. */
  close(element: ElementEnd): void;
}

export interface ElementEnd {
  readonly name: string;
  /** All text directly inside of the element. */
  readonly text: string;
  /** Where the text begins. */
  readonly position: FilePosition;
}

/** Reads a text of elements that comes in pieces, and tells a handler. Throws `StatementError`. */
export interface ElementReader {
  /** Where the reader stands. */
  readonly position: FilePosition;
  write(piece: string): void;
  end(): void;
  /** Keeps the source of the element that is being opened. */
  keepSource(): RawText;
  /** The source of the element that is being closed. */
  takeSource(raw: RawText): string;
}

/** The longest text without a tag: a field, which may have white space around it. */
export const RUN_CHARS_MAX = 4 * FIELD_CHARS_MAX;
