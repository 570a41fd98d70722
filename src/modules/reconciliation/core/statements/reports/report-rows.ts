import type { CsvRecord } from "#modules/reconciliation/core/statements/csv/csv-record.ts";
import {
  type CsvTable,
  findValue,
  requireValue,
} from "#modules/reconciliation/core/statements/csv/csv-table.ts";
import { StatementError } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";

/** The rows of a report whose columns have fixed names. */
export class ReportRows {
  readonly #table: CsvTable;
  readonly #indexes = new Map<string, number | undefined>();

  constructor(table: CsvTable) {
    this.#table = table;
  }

  /** Whether the report has a column of one of these names. */
  has(...names: readonly string[]): boolean {
    return names.some((name) => this.#table.findIndex(name) !== undefined);
  }

  /** The field of the first of these columns that the report has, unless it is empty. */
  find(row: CsvRecord, ...names: readonly string[]): Field | undefined {
    return findValue(row, this.#indexOf(names));
  }

  text(row: CsvRecord, ...names: readonly string[]): string | undefined {
    return this.find(row, ...names)?.text;
  }

  /** The field of the first of these columns that the report has, which must not be empty. */
  get(row: CsvRecord, ...names: readonly string[]): Field {
    const index = this.#indexOf(names);
    const what = `The column ${names.join(" or ")}`;
    if (index !== undefined) return requireValue(row, index, what);
    throw new StatementError(
      "MISSING",
      `${what} is missing.`,
      this.#table.header?.position ?? row.position,
    );
  }

  #indexOf(names: readonly string[]): number | undefined {
    const key = names.join("\n");
    if (this.#indexes.has(key)) return this.#indexes.get(key);
    const index = names
      .map((name) => this.#table.findIndex(name))
      .find((found) => found !== undefined);
    this.#indexes.set(key, index);
    return index;
  }
}

/** Reports are written with commas and double quotes. */
export const REPORT_FORM = { delimiter: ",", quote: '"', skipLines: 0, header: true } as const;
