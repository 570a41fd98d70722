/** A place in a file. */
export interface FilePosition {
  /** From 1. A line ends with `\n`, `\r\n` or `\r`. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  /** From 0, in bytes of the file as it was sent. */
  readonly byte: number;
}

/** The beginning of a file. */
export const FILE_START: FilePosition = { line: 1, column: 1, byte: 0 };

/**
 * Why a file cannot be read:
 *
 * | Kind | Meaning |
 * | --- | --- |
 * | `EMPTY` | the file has no characters, or none but white space |
 * | `COMPRESSED` | the file is an archive |
 * | `UNSUPPORTED` | the file is well formed, but holds something that no statement of this format is |
 * | `LIMIT` | a limit of `limits.ts` is exceeded |
 * | `ENCODING` | the bytes are not in the encoding of the file, or the encoding is unknown |
 * | `FORBIDDEN` | a document type or entity is declared or used |
 * | `SYNTAX` | the text does not have the form of the format |
 * | `MISSING` | a field, column or record is missing |
 * | `VALUE` | a field has none of the values that it may have |
 * | `AMOUNT`, `DATE`, `CURRENCY` | an amount is no exact number of the smallest unit, a date does not exist, a currency has no known decimals or is not that of the account |
 * | `BALANCE` | the opening balance and the lines do not add up to the closing balance |
 * | `CONTROL_TOTAL` | a sum or count that the file states is not that of its lines |
 * | `MAPPING` | the mapping of a CSV file contradicts itself or does not fit the file |
 */
export type StatementErrorKind =
  | "EMPTY"
  | "COMPRESSED"
  | "UNSUPPORTED"
  | "LIMIT"
  | "ENCODING"
  | "FORBIDDEN"
  | "SYNTAX"
  | "MISSING"
  | "VALUE"
  | "AMOUNT"
  | "DATE"
  | "CURRENCY"
  | "BALANCE"
  | "CONTROL_TOTAL"
  | "MAPPING";

/** Says why a file cannot be read, in a sentence, and where in the file the field at fault begins. */
export class StatementError extends Error {
  override readonly name = "StatementError";
  readonly kind: StatementErrorKind;
  readonly line: number;
  readonly column: number;
  readonly byte: number;

  constructor(kind: StatementErrorKind, message: string, position: FilePosition) {
    super(message);
    this.kind = kind;
    this.line = position.line;
    this.column = position.column;
    this.byte = position.byte;
  }
}

const QUOTED_CHARS_MAX = 60;

/** Quotes a text of a file for the sentence of an error. Long texts are cut, and control characters are replaced. */
export function quoteText(text: string): string {
  const visible = text.trim().replaceAll(/\p{C}/gu, "\u{FFFD}");
  const cut =
    visible.length > QUOTED_CHARS_MAX ? `${visible.slice(0, QUOTED_CHARS_MAX)}…` : visible;
  return `"${cut.toWellFormed()}"`;
}
