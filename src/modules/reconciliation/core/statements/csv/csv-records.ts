import { CsvError, parse } from "csv-parse/sync";
import { type CsvForm, CsvRecord } from "./csv-record.ts";
import {
  COLUMNS_MAX,
  LINE_CHARS_MAX,
} from "#modules/reconciliation/core/statements/model/limits.ts";
import type { Encoding } from "#modules/reconciliation/core/statements/model/options.ts";
import { StatementError } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { Line } from "#modules/reconciliation/core/statements/text/line-splitter.ts";
import { TextCursor } from "#modules/reconciliation/core/statements/text/text-cursor.ts";

/** The number of characters from which on complete records are parsed together. */
const BATCH_CHARS = 32_768;

/** What csv-parse gives for a record with the options `info` and `raw`, which its types leave out. */
interface Parsed {
  readonly record: readonly string[];
  readonly raw: string;
}

/** Sentences for the failures of csv-parse that a text can cause. */
const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: "A quoted field is followed by a character that is no delimiter.",
  INVALID_OPENING_QUOTE: "A quote stands inside of a field that does not begin with it.",
  CSV_QUOTE_NOT_CLOSED: "A quoted field does not end.",
};

/**
 * Divides the lines of a CSV file (RFC 4180) into records with csv-parse. Its streams lose records that precede an error, and with these the
 * place of the error; so lines are collected until quotes are even, and parsed at once.
 */
export class CsvRecords {
  readonly #form: CsvForm;
  readonly #encoding: Encoding;
  #lines: Line[] = [];
  #chars = 0;
  /** The lines of the last record that has an open quote. */
  #open: { readonly line: Line; chars: number } | undefined;

  constructor(form: CsvForm, encoding: Encoding) {
    this.#form = form;
    this.#encoding = encoding;
  }

  /** The records that are complete with the line. */
  push(line: Line): CsvRecord[] {
    this.#lines.push(line);
    this.#chars += line.text.length;
    if (hasOddQuotes(line.text, this.#form.quote))
      this.#open = this.#open === undefined ? { line, chars: 0 } : undefined;
    if (this.#open === undefined) return this.#chars < BATCH_CHARS ? [] : this.end();
    this.#open.chars += line.text.length + line.end.length;
    if (this.#open.chars <= LINE_CHARS_MAX) return [];
    const message = `A record with a quoted field is longer than ${LINE_CHARS_MAX} characters.`;
    throw new StatementError("LIMIT", message, this.#open.line.at(0));
  }

  /** The records that are left. */
  end(): CsvRecord[] {
    const [first] = this.#lines;
    if (first === undefined) return [];
    const text = this.#lines.map((line) => line.text + line.end).join("");
    const cursor = new TextCursor(this.#encoding, first.at(0));
    this.#lines = [];
    this.#chars = 0;
    return this.#recordsOf(this.#parse(text, cursor), { text, cursor });
  }

  #recordsOf(
    parsed: readonly Parsed[],
    { text, cursor }: { text: string; cursor: TextCursor },
  ): CsvRecord[] {
    const records: CsvRecord[] = [];
    let start = 0;
    for (const { record, raw } of parsed) {
      const end = endOf(text, start + raw.length);
      const source = text.slice(start, end);
      const result = new CsvRecord(record, source, { form: this.#form, cursor });
      cursor.advance(source);
      start = end;
      if (record.length > COLUMNS_MAX)
        throw new StatementError(
          "LIMIT",
          `A record has more than ${COLUMNS_MAX} fields.`,
          result.position,
        );
      if (!result.isBlank) records.push(result);
    }
    return records;
  }

  #parse(text: string, cursor: TextCursor): readonly Parsed[] {
    try {
      return this.#parseFirst(text);
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      throw this.#errorOf(error, { text, cursor });
    }
  }

  /** Parses the first records of a text, by default all. */
  #parseFirst(text: string, count?: number): readonly Parsed[] {
    const { delimiter, quote } = this.#form;
    const options = {
      delimiter,
      quote: quote ?? null,
      escape: quote ?? null,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      info: true,
      raw: true,
      ...(count === undefined ? {} : { to: count }),
    };
    const parsed: unknown = parse(text, options);
    const records = parsed as readonly { record: string[]; raw?: string; info: { raw?: string } }[];
    return records.map(({ record, raw, info }) => ({ record, raw: raw ?? info.raw ?? "" }));
  }

  #errorOf(
    error: CsvError,
    { text, cursor }: { text: string; cursor: TextCursor },
  ): StatementError {
    const { records: before, index } = contextOf(error);
    if (before > 0) {
      let start = 0;
      for (const { raw } of this.#parseFirst(text, before)) start = endOf(text, start + raw.length);
      cursor.advance(text.slice(0, start));
      text = text.slice(start);
    }
    const record = new CsvRecord([], text, { form: this.#form, cursor });
    const message = PROBLEMS[error.code] ?? "A record has not the form of CSV.";
    return new StatementError("SYNTAX", message, record.at(index));
  }
}

/** The source of a record ends without the second half of `\r\n`. */
const endOf = (text: string, end: number): number =>
  text[end - 1] === "\r" && text[end] === "\n" ? end + 1 : end;

function contextOf(error: CsvError): { records: number; index: number } {
  const { records, index } = error as { records?: unknown; index?: unknown };
  return {
    records: typeof records === "number" ? records : 0,
    index: typeof index === "number" ? index : 0,
  };
}

function hasOddQuotes(text: string, quote: string | undefined): boolean {
  if (quote === undefined) return false;
  let isOdd = false;
  for (let i = text.indexOf(quote); i >= 0; i = text.indexOf(quote, i + 1)) isOdd = !isOdd;
  return isOdd;
}
