/** A column by the name that the header gives it, or by its place, from 1. */
export type CsvColumn = string | number;

/** Where the sign of an amount stands. */
export type CsvAmount =
  /** In the amount: `-1.00`, `1.00-`, `(1.00)`. */
  | { readonly by: "amount"; readonly amount: CsvColumn; readonly negate?: boolean }
  /** One column holds what the account received, and another what it paid. Each line fills one of them. */
  | { readonly by: "columns"; readonly credit: CsvColumn; readonly debit: CsvColumn }
  /** A word beside an amount without sign. Case does not matter. */
  | {
      readonly by: "word";
      readonly amount: CsvColumn;
      readonly word: CsvColumn;
      readonly credit: readonly string[];
      readonly debit: readonly string[];
    };

/** How the lines of a bank's CSV file are read. */
export interface CsvMapping {
  /** One character, for example `;` or a tab. */
  readonly delimiter: string;
  /** One character; none if fields are never quoted. By default `"`. */
  readonly quote?: string | undefined;
  /** The number of lines before the header or, without a header, before the first record. */
  readonly skipLines?: number;
  /** Whether the first record names the columns. By default, it does. */
  readonly header?: boolean;
  /** The form of dates, of `YYYY`, `YY`, `MM`, `M`, `DD`, `D`, `MMM` and signs between them: `DD.MM.YYYY`. */
  readonly dateFormat: string;
  /** Whether a time may follow a date, after a blank or a `T`. */
  readonly timeFollows?: boolean;
  /** Three-letter names of the twelve months for `MMM`; by default the English ones. Case does not matter. */
  readonly months?: readonly string[];
  readonly decimalSign: "." | ",";
  /** What stands between groups of three digits. Without it, no such sign is allowed. */
  readonly thousandsSign?: "." | "," | " " | "'";
  readonly amount: CsvAmount;
  /** The currency or asset of all lines, `EUR` or `EUR/2`, unless a column has it. */
  readonly asset?: string;
  readonly columns: {
    readonly date: CsvColumn;
    readonly valueDate?: CsvColumn;
    readonly currency?: CsvColumn;
    readonly fee?: CsvColumn;
    /** The balance after each line, which is checked. */
    readonly balance?: CsvColumn;
    readonly endToEndId?: CsvColumn;
    readonly instructionId?: CsvColumn;
    readonly providerId?: CsvColumn;
    readonly mandateId?: CsvColumn;
    readonly batchId?: CsvColumn;
    /** Columns whose texts are joined by blanks. */
    readonly text?: readonly CsvColumn[];
    readonly name?: CsvColumn;
    readonly account?: CsvColumn;
    readonly category?: CsvColumn;
  };
  /** Which lines are pending: those with one of these words. Case does not matter. */
  readonly pending?: { readonly column: CsvColumn; readonly words: readonly string[] };
  /** Whether the file begins with its newest line. Only the check of balances needs it. */
  readonly newestFirst?: boolean;
  /** What the file does not say itself. */
  readonly statement?: { readonly id?: string; readonly account?: string };
}
