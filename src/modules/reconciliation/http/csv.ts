import { stringify } from "csv-stringify/sync";

/** A value of a table. Times are texts. */
type CsvValue = bigint | number | string | undefined;

/** A number as people write it, such as `-1,234.56`, which no spreadsheet runs. */
const NUMBER = /^-?\d[\d,]*(?:\.\d+)?$/;

/**
 * A table as CSV by RFC 4180, with a head. A text that a spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a
 * carriage return) gets an apostrophe in front; numbers get none, whether they are values or texts. Texts of others stand in such tables: references, names, comments.
 */
export function toCsv<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => CsvValue>>,
): string {
  const read = Object.values(columns);
  return stringify(
    rows.map((row) => read.map((value) => value(row) ?? "")),
    {
      header: true,
      columns: Object.keys(columns),
      record_delimiter: "windows",
      // Texts only: a number that begins with a minus is no formula.
      escape_formulas: true,
      cast: {
        bigint: (value) => ({ value: value.toString(), escape_formulas: false }),
        number: (value) => ({ value: value.toString(), escape_formulas: false }),
        string: (value) => ({ value, escape_formulas: !NUMBER.test(value) }),
      },
    },
  );
}
