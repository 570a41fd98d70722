import type { CsvRecord } from "./csv-record.ts";
import { CsvTable, type TableForm } from "./csv-table.ts";
import type { FormatReader } from "#modules/reconciliation/core/statements/builder/format-reader.ts";
import type { StatementBuilder } from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import { StatementError } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { StatementEvent } from "#modules/reconciliation/core/statements/model/statement.ts";
import {
  type Line,
  LineSplitter,
} from "#modules/reconciliation/core/statements/text/line-splitter.ts";
import type { TextCursor } from "#modules/reconciliation/core/statements/text/text-cursor.ts";

/** What a format makes of the rows of a table. */
export interface RowReader {
  readonly builder: StatementBuilder;
  /** Called once, when the header and the first row are there, or the header and the end of the file. */
  begin(table: CsvTable): void;
  row(row: CsvRecord): void;
  finish(): void;
}

/** Reads a CSV file as one statement. */
export class TableReader implements FormatReader {
  readonly #lines: LineSplitter;
  readonly #table: CsvTable;
  readonly #reader: RowReader;

  constructor(cursor: TextCursor, form: TableForm, reader: RowReader) {
    this.#lines = new LineSplitter(cursor);
    this.#table = new CsvTable(form, cursor.encoding);
    this.#reader = reader;
  }

  write(text: string): readonly StatementEvent[] {
    this.#readLines(this.#lines.split(text));
    return this.#reader.builder.drain();
  }

  end(): readonly StatementEvent[] {
    this.#readLines(this.#lines.end());
    this.#readRows(this.#table.end());
    if (!this.#reader.builder.isOpen) this.#begin();
    this.#reader.finish();
    return this.#reader.builder.drain();
  }

  #readLines(lines: readonly Line[]): void {
    for (const line of lines) this.#readRows(this.#table.push(line));
  }

  #readRows(rows: readonly CsvRecord[]): void {
    for (const row of rows) {
      if (!this.#reader.builder.isOpen) this.#begin();
      this.#reader.row(row);
    }
  }

  #begin(): void {
    if (this.#table.width === undefined)
      throw new StatementError("MISSING", "The file has no header.", this.#lines.position);
    this.#reader.begin(this.#table);
  }
}
