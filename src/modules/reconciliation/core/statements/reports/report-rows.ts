import type { CsvRecord } from "#modules/reconciliation/core/statements/csv/csv-record.ts";
import {
  type CsvTable,
  findValue,
  requireValue,
} from "#modules/reconciliation/core/statements/csv/csv-table.ts";
import { StatementError } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";

/** A name, or names of which the report has the first one that it has. */
export type ColumnNames = string | readonly string[];

/** The rows of a report whose columns have fixed names. */
export class ReportRows {
  readonly #table: CsvTable;
  /** Places of columns, or of the first of several, by name or list of names. */
  readonly #indexes = new Map<ColumnNames, number | undefined>();

  constructor(table: CsvTable) {
    this.#table = table;
  }

  /** Whether the report has a column of one of these names. */
  has(names: ColumnNames): boolean {
    return this.#indexOf(names) !== undefined;
  }

  /** The field of the first of these columns that the report has, unless it is empty. */
  find(row: CsvRecord, names: ColumnNames): Field | undefined {
    return findValue(row, this.#indexOf(names));
  }

  text(row: CsvRecord, names: ColumnNames): string | undefined {
    return this.find(row, names)?.text;
  }

  /** The field of the first of these columns that the report has, which must not be empty. */
  get(row: CsvRecord, names: ColumnNames): Field {
    const index = this.#indexOf(names);
    if (index === undefined) {
      const position = this.#table.header?.position ?? row.position;
      throw new StatementError("MISSING", `${labelOf(names)} is missing.`, position);
    }
    return findValue(row, index) ?? requireValue(row, index, labelOf(names));
  }

  #indexOf(names: ColumnNames): number | undefined {
    const known = this.#indexes.get(names);
    if (known !== undefined || this.#indexes.has(names)) return known;
    const index = [names]
      .flat()
      .map((name) => this.#table.findIndex(name))
      .find((found) => found !== undefined);
    this.#indexes.set(names, index);
    return index;
  }
}

const labelOf = (names: ColumnNames): string => `The column ${[names].flat().join(" or ")}`;

/** Reports are written with commas and double quotes. */
export const REPORT_FORM = { delimiter: ",", quote: '"', skipLines: 0, header: true } as const;
