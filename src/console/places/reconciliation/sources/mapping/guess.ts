import {
  COLUMN_ROLES,
  type ColumnRole,
  EMPTY_MAPPING,
  type MappingDraft,
} from "./mapping-draft.ts";

const DELIMITERS = [";", ",", "\t", "|"] as const;
/** The beginning of a file from which a mapping is guessed, in lines. */
const LINES_MAX = 20;

/** Words of headers, in English and German, by what the column is for. */
const HEADINGS: Readonly<Partial<Record<ColumnRole | "amount" | "text", RegExp>>> = {
  date: /^(booking |posting |transaction )?date$|^buchung(stag|sdatum)?$|^datum$/i,
  valueDate: /^value ?date$|^valuta(datum)?$|^wertstellung$/i,
  currency: /^currency$|^währung$/i,
  name: /^(name|counterparty|payee|beneficiary|auftraggeber|empfänger|zahlungspartner)/i,
  account: /iban|^counterparty account|^kontonummer/i,
  endToEndId: /end.?to.?end/i,
  mandateId: /mandat/i,
  fee: /^fees?$|^gebühr/i,
  balance: /balance|^saldo/i,
  amount: /^amount$|^betrag$|^umsatz$/i,
  text: /description|reference|purpose|text|verwendungszweck/i,
};

/** A mapping to begin with: its delimiter, columns and forms are those that the beginning of a file seems to have. */
export function guessMapping(content: string): MappingDraft {
  const lines = content.split(/\r?\n/).slice(0, LINES_MAX);
  const delimiter = DELIMITERS.toSorted((one, other) => share(lines, other) - share(lines, one))[0];
  if (delimiter === undefined) return EMPTY_MAPPING;
  const headings = fieldsOf(lines[0] ?? "", delimiter);
  const columnOf = (role: keyof typeof HEADINGS): string =>
    headings.find((heading) => HEADINGS[role]?.test(heading)) ?? "";
  const sample = fieldsOf(lines[1] ?? "", delimiter);
  const valueOf = (column: string): string => sample[headings.indexOf(column)] ?? "";
  const date = columnOf("date");
  const amount = columnOf("amount");
  return {
    ...EMPTY_MAPPING,
    delimiter,
    amount,
    ...signsOf(valueOf(amount)),
    dateFormat: dateFormatOf(valueOf(date)),
    columns: Object.fromEntries(COLUMN_ROLES.map((role) => [role, columnOf(role)])) as Readonly<
      Record<ColumnRole, string>
    >,
    text: columnOf("text"),
  };
}

/** How many delimiters a line has at least. */
const share = (lines: readonly string[], delimiter: string): number =>
  Math.min(
    ...lines.filter((line) => line !== "").map((line) => line.split(delimiter).length),
    Number.MAX_SAFE_INTEGER,
  );

/** The fields of a line. Quotes around a field are no part of it. */
export const fieldsOf = (line: string, delimiter: string): readonly string[] =>
  (line.replace(/^\uFEFF/, "").match(fieldPattern(delimiter)) ?? []).map((field) =>
    field.trim().replaceAll(/^"|"$/g, "").replaceAll('""', '"'),
  );

function fieldPattern(delimiter: string): RegExp {
  const sign = delimiter.replaceAll(/[|\\]/g, String.raw`\$&`);
  return new RegExp(`(?<=^|${sign})(?:"(?:[^"]|"")*"|[^${sign}]*)`, "g");
}

function signsOf(amount: string): Pick<MappingDraft, "decimalSign" | "thousandsSign"> {
  const last = amount.replaceAll(/[^.,]/g, "").at(-1);
  if (last === ",") return { decimalSign: ",", thousandsSign: amount.includes(".") ? "." : "" };
  return { decimalSign: ".", thousandsSign: amount.includes(",") ? "," : "" };
}

function dateFormatOf(date: string): string {
  if (/^\d{4}-\d\d-\d\d/.test(date)) return "YYYY-MM-DD";
  if (/^\d{1,2}\.\d{1,2}\.\d{4}/.test(date)) return "DD.MM.YYYY";
  if (/^\d{1,2}\.\d{1,2}\.\d\d$/.test(date)) return "DD.MM.YY";
  if (/^\d{8}$/.test(date)) return "YYYYMMDD";
  if (/^\d{1,2}\/\d{1,2}\/\d{4}/.test(date))
    return Number(date.split("/")[0]) > 12 ? "DD/MM/YYYY" : "MM/DD/YYYY";
  return "YYYY-MM-DD";
}
