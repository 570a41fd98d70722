/** A value of a CSV file. */
export type CsvValue = string | number | bigint | boolean | undefined;

/** A column of a CSV file: its name, and the value of a row. */
export type CsvColumn<Row> = readonly [name: string, valueOf: (row: Row) => CsvValue];

/** Characters with which a spreadsheet begins a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const SPECIAL = /[",\r\n]/;

/**
 * Rows as lines of a CSV file (RFC 4180), each with its line end. A text that a spreadsheet would run as a formula gets an apostrophe in
 * front, because addresses, references and metadata are texts of others (OWASP, "CSV Injection").
 */
export const toCsv = <Row>(rows: readonly Row[], columns: readonly CsvColumn<Row>[]): string =>
  rows.map((row) => toLine(columns.map(([, valueOf]) => valueOf(row)))).join("");

export const csvHeader = <Row>(columns: readonly CsvColumn<Row>[]): string =>
  toLine(columns.map(([name]) => name));

const toLine = (values: readonly CsvValue[]): string => `${values.map(toField).join(",")}\r\n`;

function toField(value: CsvValue): string {
  if (value === undefined) return "";
  const text = String(value);
  const isText = typeof value === "string" && !NUMBER.test(text);
  const safe = isText && FORMULA.test(text) ? `'${text}` : text;
  return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
