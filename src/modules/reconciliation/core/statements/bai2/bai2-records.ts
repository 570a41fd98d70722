import {
  COLUMNS_MAX,
  FIELD_CHARS_MAX,
} from "#modules/reconciliation/core/statements/model/limits.ts";
import {
  type FilePosition,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { Line } from "#modules/reconciliation/core/statements/text/line-splitter.ts";
import type { SpanField } from "#modules/reconciliation/core/statements/values/field.ts";
import { cutText } from "#modules/reconciliation/core/statements/values/texts.ts";

/** A record with the records that continue it. */
export interface Bai2Record {
  /** Such as `16`. */
  readonly code: string;
  /** The fields after the code. The text of a detail record may lie in several fields, and in several records. */
  readonly fields: readonly SpanField[];
  /** For each physical record, how many of the fields belong to it or to one before it. */
  readonly ends: readonly number[];
  readonly raw: string;
  readonly position: FilePosition;
}

const CODES = new Set(["01", "02", "03", "16", "49", "98", "99"]);

/** Joins physical records, one a line, with their continuations (`88`). */
export class Bai2Records {
  #record:
    | {
        code: string;
        fields: SpanField[];
        ends: number[];
        raw: string;
        chars: number;
        position: FilePosition;
      }
    | undefined;

  /** The record that the line ends. */
  push(line: Line): Bai2Record | undefined {
    // Records of a fixed length are filled with blanks.
    const text = line.text.trimEnd();
    if (text === "") return undefined;
    const code = text.slice(0, 2);
    if (code === "88" && text[2] === ",") {
      this.#continue(line, text);
      return undefined;
    }
    if (!CODES.has(code) || (text[2] !== "," && text.length > 2)) {
      const message =
        "A line does not begin with the code of a record: 01, 02, 03, 16, 49, 88, 98 or 99.";
      throw new StatementError("SYNTAX", message, line.at(0));
    }
    const before = this.end();
    const fields = fieldsOf(line, text);
    this.#record = {
      code,
      fields,
      ends: [fields.length],
      raw: text,
      chars: text.length,
      position: line.at(0),
    };
    return before;
  }

  /** The record that ends with the file. */
  end(): Bai2Record | undefined {
    const record = this.#record;
    this.#record = undefined;
    return record === undefined ? undefined : { ...record, raw: cutText(record.raw) };
  }

  #continue(line: Line, text: string): void {
    const record = this.#record;
    if (record === undefined || !["03", "16"].includes(record.code)) {
      const message = "A continuation (88) does not follow an account (03) or a detail (16).";
      throw new StatementError("SYNTAX", message, line.at(0));
    }
    record.fields.push(...fieldsOf(line, text));
    record.ends.push(record.fields.length);
    record.chars += text.length;
    if (record.raw.length < FIELD_CHARS_MAX) record.raw += `\n${text}`;
    if (record.fields.length <= COLUMNS_MAX && record.chars <= 8 * FIELD_CHARS_MAX) return;
    const message = `A record with its continuations has more than ${COLUMNS_MAX} fields or ${8 * FIELD_CHARS_MAX} characters.`;
    throw new StatementError("LIMIT", message, line.at(0));
  }
}

/** The fields of a physical record after its code. A slash ends the record. */
function fieldsOf(line: Line, text: string): SpanField[] {
  const end = text.endsWith("/") ? text.length - 1 : text.length;
  const fields: SpanField[] = [];
  let start = 3;
  while (start <= end) {
    const comma = text.indexOf(",", start);
    const stop = comma < 0 || comma > end ? end : comma;
    fields.push(line.from(start, stop));
    if (fields.length > COLUMNS_MAX)
      throw new StatementError(
        "LIMIT",
        `A record has more than ${COLUMNS_MAX} fields.`,
        line.at(start),
      );
    start = stop + 1;
  }
  return fields;
}
