/** Limits on files of statements. What exceeds one is a `StatementError` of the kind `LIMIT`. */

/** The largest file, in bytes. They are counted while the file streams. */
export const FILE_BYTES_MAX = 50 * 1024 * 1024;

/** The largest number of lines that a file may give, pending ones included. */
export const LINES_MAX = 1_000_000;

/** The largest number of statements in a file. */
export const STATEMENTS_MAX = 10_000;

/** The longest line of a text file and the longest record of a CSV file, in UTF-16 code units. */
export const LINE_CHARS_MAX = 65_536;

/** The longest value of one field, in UTF-16 code units. */
export const FIELD_CHARS_MAX = 8_192;

/** The longest source text and the longest free text that a line carries, in UTF-16 code units. Longer ones are cut. */
export const RAW_CHARS_MAX = 4_000;

/** The largest number of columns of a CSV file, and of fields of a BAI2 record with its continuations. */
export const COLUMNS_MAX = 1_000;

/** The deepest nesting of elements. */
export const DEPTH_MAX = 40;

/** The largest number of attributes of an element. */
export const ATTRIBUTES_MAX = 20;

/** The longest name of an element or attribute, in UTF-16 code units. */
export const NAME_CHARS_MAX = 256;

/** The largest number of transaction details that an entry of a camt.053 file is divided into. */
export const DETAILS_MAX = 20_000;

/** The number of values that are kept of one element that repeats, such as lines of remittance information. */
export const REPEATS_MAX = 200;

/** The largest number of digits of an amount. */
export const AMOUNT_DIGITS_MAX = 36;
