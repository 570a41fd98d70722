import type { Bai2Record } from "./bai2-records.ts";
import { AMOUNT_DIGITS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import {
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import { parseCompactDate } from "#modules/reconciliation/core/statements/values/calendar.ts";
import type { Field, SpanField } from "#modules/reconciliation/core/statements/values/field.ts";
import { textOf } from "#modules/reconciliation/core/statements/values/texts.ts";

/** A field of a record by its place after the code, from 1 as in the format's tables (the code is field 1). */
export const fieldOf = ({ fields }: Bai2Record, number: number): SpanField | undefined =>
  fields[number - 2];

/** A field that must not be empty. */
export function requireField(record: Bai2Record, number: number, what: string): SpanField {
  const field = fieldOf(record, number);
  if (field !== undefined && field.text.trim() !== "") return field;
  const message = `A record ${record.code} has no ${what} in its field ${number}.`;
  throw new StatementError("MISSING", message, field?.position ?? record.position);
}

export const textOfField = (field: Field | undefined): string | undefined => textOf(field?.text);

/** An amount of the format: digits, whose decimals are implied by the currency, perhaps after a sign. */
export function impliedAmount(field: Field, what: string): bigint {
  const text = field.text.trim();
  if (/^[+-]?\d+$/.test(text) && text.length <= AMOUNT_DIGITS_MAX)
    return BigInt(text.replace(/^\+/, ""));
  const message = `${what} is ${quoteText(field.text)}, which is no whole number of the smallest unit.`;
  throw new StatementError("AMOUNT", message, field.position);
}

export const parseDay = (field: Field, what: string): string =>
  parseCompactDate(field, { form: "YYMMDD", what });

/** Throws `StatementError` for a time that is not `HHMM`; 2400 and 9999 are the end of the day. */
export function assertTime(field: Field | undefined): void {
  const text = field?.text.trim() ?? "";
  if (text === "" || /^(?:(?:[01]\d|2[0-3])[0-5]\d|2400|9999)$/.test(text)) return;
  const message = `A time is ${quoteText(text)}, which has not the form HHMM.`;
  throw new StatementError("DATE", message, field?.position ?? { line: 1, column: 1, byte: 0 });
}

/** What a type code says of an amount: balances and sums of the account, credits, debits. */
export type CodeKind = "status" | "credit" | "debit";

/** The kind of a type code by its range, from the table of BAI2's uniform codes. Codes from 700 to 799 are of loans. */
export function codeKind(field: Field): CodeKind {
  const text = field.text.trim();
  const code = /^\d{3}$/.test(text) ? Number(text) : 0;
  if (code >= 1 && code <= 99) return "status";
  if ((code >= 100 && code <= 399) || (code >= 920 && code <= 959)) return "credit";
  if ((code >= 400 && code <= 699) || (code >= 960 && code <= 999)) return "debit";
  if (code >= 900 && code <= 919) return "status";
  const message =
    code >= 700 && code <= 799
      ? `A record has the type code ${text} of a loan, which says of no amount whether it came in or went out.`
      : `A type code is ${quoteText(field.text)}, which is none of the format.`;
  throw new StatementError("VALUE", message, field.position);
}

/** The availability of funds in a record, from the field of their type on. */
export interface Funds {
  /** Of the type `V`. */
  readonly valueDate: string | undefined;
  /** The number of fields. */
  readonly length: number;
}

/** Reads the type of funds in a list of fields, and the fields that it requires. */
export function parseFunds(fields: readonly SpanField[], start: number): Funds {
  const type = fields[start]?.text.trim() ?? "";
  if (type === "" || /^[Z012]$/.test(type)) return { valueDate: undefined, length: 1 };
  if (type === "V") {
    const day = fields[start + 1];
    assertTime(fields[start + 2]);
    return {
      valueDate:
        day === undefined || day.text.trim() === ""
          ? undefined
          : parseDay(day, "The value date of funds"),
      length: 3,
    };
  }
  if (type === "S") return { valueDate: undefined, length: 4 };
  const position = fields[start]?.position ?? { line: 1, column: 1, byte: 0 };
  const count = fields[start + 1]?.text.trim() ?? "";
  if (type === "D" && /^\d{1,2}$/.test(count))
    return { valueDate: undefined, length: 2 + 2 * Number(count) };
  const message =
    type === "D"
      ? `The number of distributions is ${quoteText(count)}, which is no number of at most two digits.`
      : `A type of funds is ${quoteText(type)}, which is none of Z, 0, 1, 2, V, S and D.`;
  throw new StatementError("VALUE", message, position);
}
