import type { CsvForm, CsvRecord } from "./csv-record.ts";
import { CsvRecords } from "./csv-records.ts";
import type { CsvColumn } from "#modules/reconciliation/core/statements/model/csv-mapping.ts";
import type { Encoding } from "#modules/reconciliation/core/statements/model/options.ts";
import {
  type FilePosition,
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { Line } from "#modules/reconciliation/core/statements/text/line-splitter.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";
import { assertFieldLength } from "#modules/reconciliation/core/statements/values/texts.ts";

export interface TableForm extends CsvForm {
  readonly skipLines: number;
  readonly header: boolean;
}

/** The records of a CSV file below its header. */
export class CsvTable {
  readonly #form: TableForm;
  readonly #records: CsvRecords;
  #skipped = 0;
  #header: CsvRecord | undefined;
  #names: ReadonlyMap<string, number> = new Map();
  /** The number of columns: those of the header, or of the first record. */
  #width: number | undefined;

  constructor(form: TableForm, encoding: Encoding) {
    this.#form = form;
    this.#records = new CsvRecords(form, encoding);
  }

  /** The header, or undefined until it was read. */
  get header(): CsvRecord | undefined {
    return this.#header;
  }

  /** The number of columns, or undefined until a record was read. */
  get width(): number | undefined {
    return this.#width;
  }

  /** Records that are complete with the line. */
  push(line: Line): CsvRecord[] {
    if (this.#skipped < this.#form.skipLines) {
      this.#skipped++;
      return [];
    }
    return this.#checked(this.#records.push(line));
  }

  end(): CsvRecord[] {
    return this.#checked(this.#records.end());
  }

  /** The index of a column. Throws `StatementError` for one that the file has not. */
  indexOf(column: CsvColumn): number {
    const index = this.findIndex(column);
    if (index !== undefined) return index;
    const message =
      typeof column === "number"
        ? `The file has no column ${column}, but ${this.#width ?? 0} columns.`
        : `The header has no column ${quoteText(column)}.`;
    throw new StatementError("MAPPING", message, this.#position);
  }

  /** The index of a column, if the file has it. */
  findIndex(column: CsvColumn): number | undefined {
    if (typeof column === "string") return this.#names.get(column.trim());
    const isThere = Number.isInteger(column) && column >= 1 && column <= (this.#width ?? 0);
    return isThere ? column - 1 : undefined;
  }

  get #position(): FilePosition {
    return this.#header?.position ?? { line: 1, column: 1, byte: 0 };
  }

  #checked(records: CsvRecord[]): CsvRecord[] {
    const [first] = records;
    if (first === undefined) return records;
    const isHeader = this.#width === undefined && this.#form.header;
    this.#width ??= first.values.length;
    if (isHeader) this.#readHeader(first);
    const rows = isHeader ? records.slice(1) : records;
    for (const row of rows) this.#assertWidth(row);
    return rows;
  }

  #readHeader(header: CsvRecord): void {
    this.#header = header;
    const names = new Map<string, number>();
    for (const [i, value] of header.values.entries()) {
      const name = value.trim();
      if (name !== "" && names.has(name))
        throw new StatementError(
          "SYNTAX",
          `The header has the column ${quoteText(name)} twice.`,
          header.at(i),
        );
      names.set(name, i);
    }
    this.#names = names;
  }

  /** Each record has exactly as many fields as the header: one more or less may have moved amounts into other columns. */
  #assertWidth(row: CsvRecord): void {
    const width = this.#width ?? 0;
    const { values } = row;
    if (values.length === width) return;
    const message = `A record has ${values.length} fields, but ${this.#form.header ? "the header" : "the first record"} has ${width}.`;
    throw new StatementError("SYNTAX", message, row.position);
  }
}

/** The field of a column that must not be empty. */
export function requireValue(row: CsvRecord, index: number, what: string): Field {
  const field = row.field(index);
  if (field !== undefined && field.text.trim() !== "") {
    assertFieldLength(field, what);
    return field;
  }
  throw new StatementError("MISSING", `${what} is empty.`, row.at(index));
}

/** The field of a column, if there is one that is not empty. */
export function findValue(row: CsvRecord, index: number | undefined): Field | undefined {
  const field = index === undefined ? undefined : row.field(index);
  if (field === undefined || field.text.trim() === "") return undefined;
  assertFieldLength(field, "A field");
  return field;
}
