import { FIELD_CHARS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import {
  type FilePosition,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { Line } from "#modules/reconciliation/core/statements/text/line-splitter.ts";
import type { SpanField } from "#modules/reconciliation/core/statements/values/field.ts";

/** A field of a SWIFT message, such as `:61:`, with the lines that continue it. */
export interface MtField {
  readonly tag: string;
  /** The lines of the value; the first one without the tag. */
  readonly lines: readonly SpanField[];
  /** Where the tag begins. */
  readonly position: FilePosition;
}

/** What ends in a line of a file of messages. */
export type MtToken =
  | { readonly type: "field"; readonly field: MtField }
  | { readonly type: "end" };

const TAG = /^:(\d{2}[A-Z]?|NS):/;
/** The end of a message's text: `-`, or `-}` with the blocks of the next message behind it. */
const END = /^-(?:\}.*)?\s*$/;
/**
 * Lines between messages: SWIFT blocks, and what banks put instead of these: their BIC, the number of the message type, an end of transmission.
 */
export const ENVELOPE = /^(?:\{[1-5]:.*|\{4:|[A-Z]{6}[A-Z0-9]{2,6}|:?94[02]:?|\p{Cc}|\$)\s*$/u;

/** Divides lines of messages MT940 and MT942 into fields. */
export class MtFieldSplitter {
  #field: { tag: string; lines: SpanField[]; position: FilePosition; length: number } | undefined;

  /** The field that the line ends, and the end of the message, if it is that. */
  push(line: Line): MtToken[] {
    const tag = TAG.exec(line.text);
    if (tag !== null) {
      const tokens = this.end();
      const [all, name = ""] = tag;
      const value = line.from(all.length);
      this.#field = { tag: name, lines: [value], position: line.at(0), length: value.text.length };
      return tokens;
    }
    if (END.test(line.text)) return [...this.end(), { type: "end" }];
    if (this.#field !== undefined) this.#continue(this.#field, line);
    else if (line.text.trim() !== "" && !ENVELOPE.test(line.text)) {
      const message =
        "A line outside of a message is neither a field, such as :20:, nor a SWIFT header.";
      throw new StatementError("SYNTAX", message, line.at(0));
    }
    return [];
  }

  /** The field that ends with the file. */
  end(): MtToken[] {
    const field = this.#field;
    this.#field = undefined;
    return field === undefined ? [] : [{ type: "field", field }];
  }

  #continue(field: { lines: SpanField[]; length: number }, line: Line): void {
    if (line.text.trim() === "") return;
    field.lines.push(line.from(0));
    field.length += line.text.length;
    if (field.length <= FIELD_CHARS_MAX) return;
    const message = `A field is longer than ${FIELD_CHARS_MAX} characters.`;
    throw new StatementError("LIMIT", message, line.at(0));
  }
}
