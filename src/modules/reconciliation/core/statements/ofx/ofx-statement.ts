import type { StatementBuilder } from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import {
  type FilePosition,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type {
  StatementAsset,
  StatementAssets,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import {
  calendarDate,
  dateError,
} from "#modules/reconciliation/core/statements/values/calendar.ts";
import { parseAmount } from "#modules/reconciliation/core/statements/values/decimals.ts";
import type { ElementFields } from "#modules/reconciliation/core/statements/values/element-fields.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";
import {
  joinTexts,
  referenceOf,
  textOf,
} from "#modules/reconciliation/core/statements/values/texts.ts";

/** Decimals with a point or a comma, and without signs between groups (OFX, section 3.2.9). */
const OFX_DECIMAL = { decimalSign: "either", signed: true } as const;

/** One `STMTRS` or `CCSTMTRS` while it is read. */
export class OfxStatement {
  readonly #fields: ElementFields;
  readonly #builder: StatementBuilder;
  readonly #assets: StatementAssets;
  #asset: StatementAsset | undefined;

  /** `fields` are filled while the statement is read. */
  constructor(fields: ElementFields, builder: StatementBuilder, assets: StatementAssets) {
    this.#fields = fields;
    this.#builder = builder;
    this.#assets = assets;
  }

  pending(position: FilePosition): void {
    this.#begin();
    this.#builder.pending(position);
  }

  addTransaction(fields: ElementFields, raw: string): void {
    const account = this.#begin();
    const currency = fields.find("CURRENCY/CURSYM");
    const asset =
      currency === undefined
        ? account
        : this.#assets.ofCurrency(currency, "The currency of a transaction");
    const available = fields.find("DTAVAIL");
    this.#builder.line({
      date: parseOfxDate(fields.only("DTPOSTED"), "The posting date of a transaction"),
      valueDate:
        available === undefined ? undefined : parseOfxDate(available, "The date of availability"),
      amount: amountOf(fields.only("TRNAMT"), asset),
      asset: asset.name,
      fee: undefined,
      references: {
        endToEndId: referenceOf(fields.text("REFNUM")),
        instructionId: referenceOf(fields.text("CHECKNUM", "SRVRTID")),
        providerId: referenceOf(fields.text("FITID")),
        mandateId: undefined,
        batchId: undefined,
        text: joinTexts([fields.text("EXTDNAME"), fields.text("MEMO")]),
      },
      counterparty: {
        name: textOf(fields.text("NAME", "PAYEE/NAME")),
        account: textOf(fields.text("BANKACCTTO/ACCTID", "CCACCTTO/ACCTID")),
      },
      category: textOf(fields.text("TRNTYPE")),
      raw,
      position: fields.position,
    });
  }

  finish(): void {
    const asset = this.#begin();
    const fields = this.#fields;
    fields.assertSingle("LEDGERBAL/BALAMT");
    const balance = fields.find("LEDGERBAL/BALAMT");
    const [start, end] = [fields.find("BANKTRANLIST/DTSTART"), fields.find("BANKTRANLIST/DTEND")];
    this.#builder.finish({
      from: start === undefined ? undefined : parseOfxDate(start, "The beginning of the period"),
      to: end === undefined ? undefined : parseOfxDate(end, "The end of the period"),
      closing:
        balance === undefined
          ? undefined
          : { amount: amountOf(balance, asset), position: balance.position },
    });
  }

  /** Begins the statement with what precedes its transactions. */
  #begin(): StatementAsset {
    if (this.#asset !== undefined) return this.#asset;
    const fields = this.#fields;
    const account = fields.get("BANKACCTFROM/ACCTID", "CCACCTFROM/ACCTID").text;
    this.#asset = this.#assets.ofCurrency(fields.only("CURDEF"), "The account's currency (CURDEF)");
    this.#builder.begin({ account: textOf(account), asset: this.#asset }, fields.position);
    return this.#asset;
  }
}

const amountOf = (field: Field, { decimals }: StatementAsset): bigint =>
  parseAmount(field, { form: OFX_DECIMAL, decimals, what: "An amount" });

const DATE = /^(\d{4})(\d{2})(\d{2})(?:\d{4}|\d{6}(?:\.\d{1,6})?)?(?:\s?\[[^\]]{0,20}\])?$/;

/** The day of a date and time of OFX, `20260105120000.000[-5:EST]`, as it is written, whatever the zone. */
function parseOfxDate(field: Field, what: string): string {
  const match = DATE.exec(field.text.trim());
  const [year = 0, month = 0, day = 0] = (match ?? []).slice(1, 4).map(Number);
  const date = match === null ? undefined : calendarDate(year, month, day);
  if (date === undefined) throw dateError(field, what, "YYYYMMDD");
  return date;
}

/** Throws `StatementError` when the bank answered with an error instead of a statement. */
export function assertSuccess(status: ElementFields): void {
  const severity = status.find("SEVERITY");
  if (severity === undefined || severity.text.trim() !== "ERROR") return;
  const code = status.text("CODE")?.trim() ?? "none";
  const message = `The file is an answer with an error of the bank, whose code is ${code}.`;
  throw new StatementError("UNSUPPORTED", message, severity.position);
}
