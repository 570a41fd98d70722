import type { MtField } from "./mt-fields.ts";
import { entryDate, formError, swiftAmount } from "./mt-values.ts";
import { StatementError } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { StatementAsset } from "#modules/reconciliation/core/statements/values/assets.ts";
import { parseCompactDate } from "#modules/reconciliation/core/statements/values/calendar.ts";
import { partOf } from "#modules/reconciliation/core/statements/values/field.ts";
import { joinTexts, referenceOf } from "#modules/reconciliation/core/statements/values/texts.ts";

/** What a field `:61:` says of an entry. */
export interface MtEntry {
  readonly date: string;
  readonly valueDate: string;
  readonly amount: bigint;
  /** An entry that MT942 marks as expected: `EC` and `ED`. */
  readonly isExpected: boolean;
  /** The transaction type, such as `NTRF`. */
  readonly type: string;
  readonly ownerReference: string | undefined;
  readonly bankReference: string | undefined;
  /** Supplementary details, in lines below the field. */
  readonly details: string | undefined;
}

const FORM = "YYMMDD[MMDD](C|D|RC|RD|EC|ED)[letter]amount,type and reference";
const ENTRY = /^(\d{6})(\d{4})?(RC|RD|EC|ED|C|D)([A-Z])?(\d[\d,]*)([NSF][A-Z0-9]{3})(.*)$/;

/** Words in place of a reference that stands in the field `:86:`. */
const IN_FIELD_86 = /^(?:EREF|PREF|MARF|IREF|KREF)$/;

/** Parses a statement line. A reversal of a credit (`RC`) is a debit, and the other way round. */
export function parseEntry(field: MtField, asset: StatementAsset): MtEntry {
  const [value, ...more] = field.lines;
  if (value === undefined) throw new StatementError("SYNTAX", "An entry is empty.", field.position);
  const match = ENTRY.exec(value.text);
  if (match === null) throw formError(value, field.tag, FORM);
  const [, day = "", entryDay, mark = "", letter = "", digits = "", type = "", rest = ""] = match;
  const valueDate = parseCompactDate(partOf(value, 0, day), {
    form: "YYMMDD",
    what: "The value date of an entry",
  });
  const date =
    entryDay === undefined ? valueDate : entryDate(partOf(value, 6, entryDay), valueDate);
  const start = 6 + (entryDay ?? "").length + mark.length;
  assertFundsCode(partOf(value, start, letter), asset);
  const amount = swiftAmount(partOf(value, start + letter.length, digits), asset);
  const isDebit = mark === "D" || mark === "RC" || mark === "ED";
  const [owner, ...bank] = rest.split("//");
  return {
    date,
    valueDate,
    amount: isDebit ? -amount : amount,
    isExpected: mark.startsWith("E"),
    type,
    ownerReference: IN_FIELD_86.test(owner ?? "") ? undefined : referenceOf(owner),
    bankReference: referenceOf(bank.join("//")),
    details: joinTexts(more.map(({ text }) => text)),
  };
}

/** The letter after the mark is the last one of the currency's code. */
function assertFundsCode(
  { text, position }: { text: string; position: MtField["position"] },
  { currency }: StatementAsset,
): void {
  if (text === "" || currency.endsWith(text)) return;
  const message = `An entry has the funds code ${text}, which is not the last letter of ${currency}.`;
  throw new StatementError("CURRENCY", message, position);
}
