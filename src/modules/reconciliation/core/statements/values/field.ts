import type { FilePosition } from "#modules/reconciliation/core/statements/model/statement-error.ts";

/** A value of a file, and where it begins. */
export interface Field {
  readonly text: string;
  readonly position: FilePosition;
}

/** A field of one line, whose parts have positions, too. */
export interface SpanField extends Field {
  readonly at: (index: number) => FilePosition;
}

/** A part of a field by its place in the text. */
export const partOf = (field: SpanField, index: number, text: string): Field => ({
  text,
  position: field.at(index),
});
