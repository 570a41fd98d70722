/**
 * Reads the files in which banks and providers say what moved on an account. The README beside this file describes formats, limits and how to
 * add a format.
 *
 *     bytes ── text/ ──▶ text ── a format's reader ──▶ StatementBuilder ──▶ head, lines, end
 *              limits, encoding   camt053/ mt/ bai2/     counts, sums,
 *              position           ofx/ csv/ reports/     balances
 *                                 json-lines/
 */
export { DETECTED_BYTES, detectFormat } from "./detect-format.ts";
export type { CsvAmount, CsvColumn, CsvMapping } from "./model/csv-mapping.ts";
export { FILE_BYTES_MAX, LINES_MAX } from "./model/limits.ts";
export {
  type Encoding,
  ENCODINGS,
  type ReadOptions,
  STATEMENT_FORMATS,
  type StatementFormat,
} from "./model/options.ts";
export {
  FILE_START,
  type FilePosition,
  StatementError,
  type StatementErrorKind,
} from "./model/statement-error.ts";
export type {
  LineReferences,
  StatementEnd,
  StatementEvent,
  StatementHead,
  StatementLine,
} from "./model/statement.ts";
export { readStatement } from "./read-statement.ts";
