import { Bai2Reader } from "#modules/reconciliation/core/statements/bai2/bai2-reader.ts";
import type { FormatReader } from "#modules/reconciliation/core/statements/builder/format-reader.ts";
import { Camt053Reader } from "#modules/reconciliation/core/statements/camt053/camt053-reader.ts";
import { checkMapping } from "#modules/reconciliation/core/statements/csv/check-mapping.ts";
import { CsvReader } from "#modules/reconciliation/core/statements/csv/csv-reader.ts";
import { TableReader } from "#modules/reconciliation/core/statements/csv/table-reader.ts";
import { JsonLinesReader } from "#modules/reconciliation/core/statements/json-lines/json-lines-reader.ts";
import type {
  ReadOptions,
  StatementFormat,
} from "#modules/reconciliation/core/statements/model/options.ts";
import {
  FILE_START,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { StatementEvent } from "#modules/reconciliation/core/statements/model/statement.ts";
import { MtReader } from "#modules/reconciliation/core/statements/mt/mt-reader.ts";
import { OfxReader } from "#modules/reconciliation/core/statements/ofx/ofx-reader.ts";
import { AdyenReader } from "#modules/reconciliation/core/statements/reports/adyen-reader.ts";
import { REPORT_FORM } from "#modules/reconciliation/core/statements/reports/report-rows.ts";
import { StripeReader } from "#modules/reconciliation/core/statements/reports/stripe-reader.ts";
import { decodeFile } from "#modules/reconciliation/core/statements/text/decode.ts";
import type { TextCursor } from "#modules/reconciliation/core/statements/text/text-cursor.ts";

/**
 * Reads a file as it streams, and gives its statements and lines in the order of the file. Memory is bounded by the limits of
 * `limits.ts`, whatever the file is. Throws `StatementError` for a file that is not what its format demands; what was given before does not
 * count then. Errors of `chunks` pass.
 */
export async function* readStatement(
  format: StatementFormat,
  options: ReadOptions,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<StatementEvent, void, undefined> {
  const newReader = readerOf(format, options);
  const { start, pieces } = await decodeFile(chunks, options.encoding);
  const reader = newReader(start);
  for await (const piece of pieces) yield* reader.write(piece);
  yield* reader.end();
}

type NewReader = (cursor: TextCursor) => FormatReader;

/** What reads a format. Throws `StatementError` for a mapping that contradicts itself, before the file is read. */
function readerOf(format: StatementFormat, options: ReadOptions): NewReader {
  switch (format) {
    case "camt.053":
      return (cursor) => new Camt053Reader(cursor, options);
    case "mt940":
      return (cursor) => new MtReader("940", cursor, options);
    case "mt942":
      return (cursor) => new MtReader("942", cursor, options);
    case "bai2":
      return (cursor) => new Bai2Reader(cursor, options);
    case "ofx":
      return (cursor) => new OfxReader(cursor, options);
    case "csv":
      return csvReader(options);
    case "json-lines":
      return (cursor) => new JsonLinesReader(cursor, options);
    case "stripe-balance":
      return (cursor) => new TableReader(cursor, REPORT_FORM, new StripeReader(options));
    case "adyen-settlement":
      return (cursor) => new TableReader(cursor, REPORT_FORM, new AdyenReader(options));
  }
}

function csvReader(options: ReadOptions): NewReader {
  const { mapping } = options;
  if (mapping === undefined)
    throw new StatementError(
      "MAPPING",
      "A CSV file is read by a mapping, and there is none.",
      FILE_START,
    );
  const { form, dates } = checkMapping(mapping);
  const rows = new CsvReader(mapping, dates, options);
  return (cursor) => new TableReader(cursor, form, rows);
}
