import type { FilePosition } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import { TextCursor } from "#modules/reconciliation/core/statements/text/text-cursor.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";
import { cutText } from "#modules/reconciliation/core/statements/values/texts.ts";

/** How a CSV file is written. */
export interface CsvForm {
  readonly delimiter: string;
  /** None if fields are never quoted. */
  readonly quote: string | undefined;
}

/** A record of a CSV file. */
export class CsvRecord {
  readonly values: readonly string[];
  readonly position: FilePosition;
  readonly #source: string;
  readonly #form: CsvForm;
  readonly #cursor: TextCursor;

  /** The cursor stands at the beginning of the record. */
  constructor(
    values: readonly string[],
    source: string,
    { form, cursor }: { form: CsvForm; cursor: TextCursor },
  ) {
    this.values = values;
    this.position = cursor.position;
    this.#source = source;
    this.#form = form;
    this.#cursor = cursor;
  }

  /** Whether the record is an empty line, or has only delimiters and white space. */
  get isBlank(): boolean {
    return this.values.every((value) => value.trim() === "");
  }

  get raw(): string {
    return cutText(withoutEnd(withoutEnd(this.#source, "\n"), "\r"));
  }

  /** A field by its index, with its position; undefined when the record is shorter. */
  field(index: number): Field | undefined {
    const text = this.values[index];
    return text === undefined ? undefined : new CsvField(text, this, index);
  }

  /** Where a field begins. */
  at(index: number): FilePosition {
    const cursor = new TextCursor(this.#cursor.encoding, this.position);
    cursor.advance(this.#source.slice(0, this.#startOf(index)));
    return cursor.position;
  }

  /** The place of a field in the source, behind so many delimiters that are not quoted. */
  #startOf(index: number): number {
    const { delimiter, quote } = this.#form;
    let isQuoted = false;
    let fields = 0;
    for (let i = 0; i < this.#source.length && fields < index; i++) {
      const character = this.#source[i];
      if (character === quote) isQuoted = !isQuoted;
      else if (character === delimiter && !isQuoted) fields++;
      if (fields === index) return i + 1;
    }
    return 0;
  }
}

const withoutEnd = (text: string, end: string): string =>
  text.endsWith(end) ? text.slice(0, -end.length) : text;

/** A field whose position is looked for when it is asked. */
class CsvField implements Field {
  readonly text: string;
  readonly #record: CsvRecord;
  readonly #index: number;

  constructor(text: string, record: CsvRecord, index: number) {
    this.text = text;
    this.#record = record;
    this.#index = index;
  }

  get position(): FilePosition {
    return this.#record.at(this.#index);
  }
}
