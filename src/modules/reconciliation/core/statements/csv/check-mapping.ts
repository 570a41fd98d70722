import type { TableForm } from "./csv-table.ts";
import { DateFormat } from "./date-format.ts";
import type {
  CsvColumn,
  CsvMapping,
} from "#modules/reconciliation/core/statements/model/csv-mapping.ts";
import {
  FILE_START,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";

/** The largest number of lines before the header. */
const SKIPPED_LINES_MAX = 1_000;

/** How a mapping's file is read. Throws `StatementError` for a mapping that contradicts itself. */
export function checkMapping(mapping: CsvMapping): { form: TableForm; dates: DateFormat } {
  const { delimiter, skipLines = 0, header = true } = mapping;
  const quote = "quote" in mapping ? mapping.quote : '"';
  if (!isSign(delimiter) || (quote !== undefined && !isSign(quote)) || quote === delimiter)
    fail(
      "The delimiter and the quote have to be different single characters, and no letter, digit or line end.",
    );
  if (!Number.isInteger(skipLines) || skipLines < 0 || skipLines > SKIPPED_LINES_MAX)
    fail(`The number of skipped lines is none from 0 to ${SKIPPED_LINES_MAX}.`);
  if (mapping.thousandsSign === mapping.decimalSign)
    fail("The decimal sign and the sign between thousands are the same.");
  const dates = DateFormat.parse(mapping.dateFormat, mapping);
  if (dates === undefined)
    return fail(
      "The form of dates has to have one year, month and day, such as DD.MM.YYYY, and names of months twelve different ones.",
    );
  if ((mapping.asset === undefined) === (mapping.columns.currency === undefined))
    fail("The mapping has to name either a column of currencies or the asset of all lines.");
  checkColumns(mapping, header);
  checkWords(mapping);
  return { form: { delimiter, quote, skipLines, header }, dates };
}

function fail(message: string): never {
  throw new StatementError("MAPPING", message, FILE_START);
}

const isSign = (text: string): boolean => /^[^\p{L}\p{N}\r\n]$/u.test(text);

function checkColumns(mapping: CsvMapping, header: boolean): void {
  for (const column of columnsOf(mapping)) {
    if (typeof column === "string" && !header)
      fail("A column has a name, but the file has no header: columns have numbers then.");
    if (typeof column === "number" && (!Number.isInteger(column) || column < 1))
      fail("The number of a column is not a whole number from 1 on.");
  }
}

/** All columns that a mapping names. */
export function columnsOf({ columns, amount, pending }: CsvMapping): CsvColumn[] {
  const amounts =
    amount.by === "columns"
      ? [amount.credit, amount.debit]
      : amount.by === "word"
        ? [amount.amount, amount.word]
        : [amount.amount];
  const named = Object.values(columns).flat();
  return [...amounts, ...named, ...(pending === undefined ? [] : [pending.column])];
}

function checkWords({ amount }: CsvMapping): void {
  if (amount.by === "columns" && amount.credit === amount.debit)
    fail("Credits and debits are the same column.");
  if (amount.by !== "word") return;
  const words = [...amount.credit, ...amount.debit].map(normalizeWord);
  if (amount.credit.length === 0 || amount.debit.length === 0 || new Set(words).size < words.length)
    fail("Credits and debits have to have words, and no word in common.");
}

/** A word of a file or mapping as it is compared. */
export const normalizeWord = (word: string): string => word.trim().toLowerCase();
