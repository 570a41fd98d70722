import {
  calendarDate,
  dateError,
  fullYear,
} from "#modules/reconciliation/core/statements/values/calendar.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";

const ENGLISH_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

const TOKEN = /YYYY|YY|MMM|MM|M|DD|D/g;
const PATTERNS: Readonly<Record<string, string>> = {
  YYYY: String.raw`(?<year>\d{4})`,
  YY: String.raw`(?<year>\d{2})`,
  MMM: String.raw`(?<month>\p{L}{3})\.?`,
  MM: String.raw`(?<month>\d{2})`,
  M: String.raw`(?<month>\d{1,2})`,
  DD: String.raw`(?<day>\d{2})`,
  D: String.raw`(?<day>\d{1,2})`,
};
const TIME = String.raw`(?:[ T]\d{1,2}[:.]\d{2}(?:[:.]\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?`;

export interface DateFormatOptions {
  readonly timeFollows?: boolean | undefined;
  /** Names of months for `MMM`. */
  readonly months?: readonly string[] | undefined;
}

/** The form of the dates of a file. */
export class DateFormat {
  readonly #form: string;
  readonly #pattern: RegExp;
  readonly #months: readonly string[];

  private constructor(form: string, pattern: RegExp, months: readonly string[]) {
    this.#form = form;
    this.#pattern = pattern;
    this.#months = months;
  }

  /** A form of year, month, day and signs between them; undefined for a text that is none. */
  static parse(form: string, { timeFollows, months }: DateFormatOptions): DateFormat | undefined {
    const tokens = (form.match(TOKEN) ?? []).map((token) => token[0]);
    const isWhole = ["Y", "M", "D"].every((part) => tokens.filter((t) => t === part).length === 1);
    const signs = form.replaceAll(TOKEN, "");
    if (!isWhole || tokens.length !== 3 || !/^[-./ ,']{0,8}$/.test(signs)) return undefined;
    const names = months?.map((name) => name.toLowerCase()) ?? ENGLISH_MONTHS;
    if (names.length !== 12 || new Set(names).size !== 12) return undefined;
    const source = form
      .replaceAll(/[./]/g, String.raw`\$&`)
      .replaceAll(TOKEN, (token) => PATTERNS[token] ?? "");
    const pattern = new RegExp(`^${source}${timeFollows === true ? TIME : ""}$`, "u");
    return new DateFormat(form, pattern, names);
  }

  /** The day of a field, as `YYYY-MM-DD`. */
  read(field: Field, what: string): string {
    const groups = this.#pattern.exec(field.text.trim())?.groups;
    const date = groups === undefined ? undefined : this.#dateOf(groups);
    if (date === undefined) throw dateError(field, what, this.#form);
    return date;
  }

  #dateOf({
    year = "",
    month = "",
    day = "",
  }: Readonly<Record<string, string>>): string | undefined {
    const number = /^\d/.test(month)
      ? Number(month)
      : this.#months.indexOf(month.toLowerCase()) + 1;
    const full = year.length === 2 ? fullYear(Number(year)) : Number(year);
    return calendarDate(full, number, Number(day));
  }
}
