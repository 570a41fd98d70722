import type { CsvMapping } from "./csv-mapping.ts";

export const STATEMENT_FORMATS = [
  "camt.053",
  "mt940",
  "mt942",
  "bai2",
  "ofx",
  "csv",
  "json-lines",
  "stripe-balance",
  "adyen-settlement",
] as const;

export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** The encodings of files. ISO-8859-1 is read as windows-1252, which has characters where ISO-8859-1 has control codes. */
export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "iso-8859-1", "windows-1252"] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface ReadOptions {
  /** The number of decimals of an ISO 4217 currency, undefined for an unknown one. */
  readonly decimalsOf: (currency: string) => number | undefined;
  /** Decimals by currency, which come before those of `decimalsOf`. */
  readonly decimals?: Readonly<Record<string, number>>;
  /** The encoding of a file without a byte order mark; by default, the one that the file declares, or UTF-8. */
  readonly encoding?: Encoding;
  /** How a file of the format `csv` is read, which requires it. */
  readonly mapping?: CsvMapping;
}
