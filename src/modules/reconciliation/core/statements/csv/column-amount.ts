import { normalizeWord } from "./check-mapping.ts";
import type {
  CsvAmount,
  CsvColumn,
} from "#modules/reconciliation/core/statements/model/csv-mapping.ts";
import {
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";

/** How values of a row are read. */
export interface RowValues {
  readonly parse: (field: Field, what: string) => bigint;
  readonly find: (column: CsvColumn) => Field | undefined;
  readonly require: (column: CsvColumn, what: string) => Field;
}

/** The signed amount of a row. */
export function columnAmount(how: CsvAmount, values: RowValues): bigint {
  if (how.by === "amount") {
    const amount = values.parse(values.require(how.amount, "The amount"), "The amount");
    return how.negate === true ? -amount : amount;
  }
  return how.by === "word" ? amountByWord(how, values) : amountByColumns(how, values);
}

function amountByWord(
  how: Extract<CsvAmount, { by: "word" }>,
  { parse, require }: RowValues,
): bigint {
  const amount = unsigned(require(how.amount, "The amount"), { parse, what: "The amount" });
  const field = require(how.word, "The word of credit or debit");
  const isOneOf = (words: readonly string[]): boolean =>
    words.some((word) => normalizeWord(word) === normalizeWord(field.text));
  if (isOneOf(how.credit)) return amount;
  if (isOneOf(how.debit)) return -amount;
  const message = `The word ${quoteText(field.text)} is none of credits or debits in the mapping.`;
  throw new StatementError("VALUE", message, field.position);
}

function amountByColumns(
  how: Extract<CsvAmount, { by: "columns" }>,
  { parse, find, require }: RowValues,
): bigint {
  const [credit, debit] = [find(how.credit), find(how.debit)];
  const received = credit === undefined ? 0n : unsigned(credit, { parse, what: "The credit" });
  const paid = debit === undefined ? 0n : unsigned(debit, { parse, what: "The debit" });
  if (credit === undefined && debit === undefined) require(how.credit, "The credit, as the debit,");
  if (received !== 0n && paid !== 0n && debit !== undefined)
    throw new StatementError("VALUE", "A row has both a credit and a debit.", debit.position);
  return received - paid;
}

/** An amount whose direction stands elsewhere, so that a sign would contradict it. */
function unsigned(
  field: Field,
  { parse, what }: { parse: RowValues["parse"]; what: string },
): bigint {
  const amount = parse(field, what);
  if (amount >= 0n) return amount;
  const message = `${what} is ${quoteText(field.text)}, although its direction stands elsewhere.`;
  throw new StatementError("AMOUNT", message, field.position);
}
