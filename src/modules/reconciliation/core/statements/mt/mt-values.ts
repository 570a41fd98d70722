import type { MtField } from "./mt-fields.ts";
import {
  type FilePosition,
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type {
  StatementAsset,
  StatementAssets,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import {
  calendarDate,
  dateError,
  parseCompactDate,
} from "#modules/reconciliation/core/statements/values/calendar.ts";
import {
  parseAmount,
  parseCount,
} from "#modules/reconciliation/core/statements/values/decimals.ts";
import {
  type Field,
  partOf,
  type SpanField,
} from "#modules/reconciliation/core/statements/values/field.ts";

/** The value of a field of one line. Throws `StatementError` when it has more. */
export function singleLine({ tag, lines, position }: MtField): SpanField {
  const [value, second] = lines;
  if (value === undefined || second !== undefined) {
    const at = second?.position ?? position;
    throw new StatementError("SYNTAX", `The field :${tag}: has a second line.`, at);
  }
  return value;
}

/** The error of a field that has not its form. */
export function formError(value: Field, tag: string, form: string): StatementError {
  const message = `The field :${tag}: is ${quoteText(value.text)}, which has not the form ${form}.`;
  return new StatementError("SYNTAX", message, value.position);
}

/** An amount of SWIFT, which always has a comma: `1234,5`. */
export function swiftAmount(field: Field, { decimals }: StatementAsset): bigint {
  if (!field.text.includes(",")) {
    const message = `An amount is ${quoteText(field.text)}, which has no comma before its decimals.`;
    throw new StatementError("AMOUNT", message, field.position);
  }
  return parseAmount(field, {
    form: { decimalSign: ",", signed: false },
    decimals,
    what: "An amount",
  });
}

export interface MtBalance {
  readonly amount: bigint;
  readonly asset: StatementAsset;
  readonly date: string;
  readonly position: FilePosition;
}

const BALANCE = /^([CD])(\d{6})([A-Z]{3})([\d,]+)\s*$/;

/** A balance of the fields 60 to 65. */
export function parseBalance(field: MtField, assets: StatementAssets): MtBalance {
  const value = singleLine(field);
  const match = BALANCE.exec(value.text);
  if (match === null) throw formError(value, field.tag, "C260105EUR1234,56");
  const [, sign, day = "", currency = "", digits = ""] = match;
  const date = parseCompactDate(partOf(value, 1, day), {
    form: "YYMMDD",
    what: "The date of a balance",
  });
  const asset = assets.ofCurrency(partOf(value, 7, currency), "The currency of a balance");
  const at = partOf(value, 10, digits);
  const amount = swiftAmount(at, asset);
  return { amount: sign === "D" ? -amount : amount, asset, date, position: at.position };
}

const FLOOR = /^([A-Z]{3})([CD]?)([\d,]+)\s*$/;

/** The currency of a floor limit (`:34F:`), which is the account's. */
export function parseFloorLimit(field: MtField, assets: StatementAssets): StatementAsset {
  const value = singleLine(field);
  const match = FLOOR.exec(value.text);
  if (match === null) throw formError(value, field.tag, "EURD100,");
  const [, currency = "", sign = "", digits = ""] = match;
  const asset = assets.ofCurrency(partOf(value, 0, currency), "The currency of a floor limit");
  swiftAmount(partOf(value, 3 + sign.length, digits), asset);
  return asset;
}

export interface MtSum {
  readonly count: number;
  readonly amount: bigint;
  readonly position: FilePosition;
}

const SUM = /^(\d{1,5})([A-Z]{3})([\d,]+)\s*$/;

/** The number and sum of the entries of one side (`:90D:`, `:90C:`). */
export function parseSum(field: MtField, asset: StatementAsset, assets: StatementAssets): MtSum {
  const value = singleLine(field);
  const match = SUM.exec(value.text);
  if (match === null) throw formError(value, field.tag, "12EUR1234,56");
  const [, count = "", currency = "", digits = ""] = match;
  const code = partOf(value, count.length, currency);
  if (assets.ofCurrency(code, "The currency of a sum").name !== asset.name) {
    const message = `The field :${field.tag}: is in ${currency}, but the account is in ${asset.currency}.`;
    throw new StatementError("CURRENCY", message, code.position);
  }
  return {
    count: parseCount(partOf(value, 0, count), "The number of entries"),
    amount: swiftAmount(partOf(value, count.length + 3, digits), asset),
    position: value.position,
  };
}

/** The booking day of month and day, in the year that puts it nearest to the value date. */
export function entryDate(field: Field, valueDate: string): string {
  const [year = 0, valueMonth = 0] = valueDate.split("-").map(Number);
  const month = Number(field.text.slice(0, 2));
  const months = month - valueMonth;
  const entryYear = months > 6 ? year - 1 : months < -6 ? year + 1 : year;
  const date = calendarDate(entryYear, month, Number(field.text.slice(2)));
  if (date === undefined) throw dateError(field, "The booking date of an entry", "MMDD");
  return date;
}
