import type { Field } from "./field.ts";
import {
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";

/** Years outside of these are mistakes. */
const YEAR_MIN = 1900;
const YEAR_MAX = 2199;

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** A day as `YYYY-MM-DD`; undefined when the calendar has none. */
export function calendarDate(year: number, month: number, day: number): string | undefined {
  if (year < YEAR_MIN || year > YEAR_MAX) return undefined;
  const days = month === 2 && isLeap(year) ? 29 : MONTH_DAYS[month - 1];
  if (days === undefined || day < 1 || day > days) return undefined;
  const [mm, dd] = [month, day].map((part) => String(part).padStart(2, "0"));
  return `${year}-${mm}-${dd}`;
}

/** The year of two digits: SWIFT reads 80 to 99 as 1980 to 1999. */
export const fullYear = (twoDigits: number): number =>
  twoDigits < 80 ? 2000 + twoDigits : 1900 + twoDigits;

/** The error of a field that is no date of a form. */
export function dateError(field: Field, what: string, form: string): StatementError {
  const message = `${what} is ${quoteText(field.text)}, which is no date of the form ${form}.`;
  return new StatementError("DATE", message, field.position);
}

/** A date of `YYYYMMDD` or `YYMMDD`. */
export function parseCompactDate(
  field: Field,
  { form, what }: { form: "YYYYMMDD" | "YYMMDD"; what: string },
): string {
  const text = field.text.trim();
  const match = /^(\d{2}|\d{4})(\d{2})(\d{2})$/.exec(text);
  if (match === null || text.length !== form.length) throw dateError(field, what, form);
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const date = calendarDate(form === "YYMMDD" ? fullYear(year) : year, month, day);
  if (date === undefined) throw dateError(field, what, form);
  return date;
}

const ISO_DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]([01]\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)?(?:Z|[+-][01]\d:?[0-5]\d)?$/;

/** The day of an ISO 8601 date or date and time. It is the day as it is written, whatever the zone. */
export function parseIsoDate(field: Field, what: string): string {
  const match = ISO_DATE.exec(field.text.trim());
  const [year = 0, month = 0, day = 0] = (match ?? []).slice(1, 4).map(Number);
  const date = match === null ? undefined : calendarDate(year, month, day);
  if (date === undefined) throw dateError(field, what, "YYYY-MM-DD");
  return date;
}
