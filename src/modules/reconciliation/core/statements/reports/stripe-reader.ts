import { ReportRows } from "./report-rows.ts";
import { StatementBuilder } from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import type { CsvRecord } from "#modules/reconciliation/core/statements/csv/csv-record.ts";
import type { CsvTable } from "#modules/reconciliation/core/statements/csv/csv-table.ts";
import type { RowReader } from "#modules/reconciliation/core/statements/csv/table-reader.ts";
import type { ReadOptions } from "#modules/reconciliation/core/statements/model/options.ts";
import {
  FILE_START,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import {
  type StatementAsset,
  StatementAssets,
  showAmount,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import { parseIsoDate } from "#modules/reconciliation/core/statements/values/calendar.ts";
import { parseAmount } from "#modules/reconciliation/core/statements/values/decimals.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";
import {
  joinTexts,
  referenceOf,
  textOf,
} from "#modules/reconciliation/core/statements/values/texts.ts";

/** Names of columns: of the itemised reports first, then of the older export of balance history. */
const COLUMNS = {
  id: ["balance_transaction_id", "id"],
  created: ["created_utc", "created", "Created (UTC)"],
  available: ["available_on_utc", "available_on", "Available On (UTC)"],
  currency: ["currency", "Currency"],
  gross: ["gross", "Amount"],
  fee: ["fee", "Fee"],
  net: ["net", "Net"],
  category: ["reporting_category", "Type"],
  source: ["source_id", "Source"],
  payment: ["payment_intent_id"],
  payout: ["automatic_payout_id", "Transfer"],
  description: ["description", "Description"],
  customer: ["customer_name", "customer_email"],
} as const;

const STRIPE_DECIMAL = { decimalSign: ".", signed: true } as const;

/**
 * Reads Stripe's itemised balance report ("Balance change from activity", itemised) and the itemised payout reconciliation, with the column
 * names of Stripe's report documentation. The amount of a line is its net, by which the balance changes; `net = gross - fee` is checked.
 */
export class StripeReader implements RowReader {
  readonly builder = new StatementBuilder();
  readonly #assets: StatementAssets;
  #rows: ReportRows | undefined;
  #asset: StatementAsset | "several" | undefined;

  constructor(options: ReadOptions) {
    this.#assets = new StatementAssets(options);
  }

  begin(table: CsvTable): void {
    this.#rows = new ReportRows(table);
    const position = table.header?.position ?? FILE_START;
    for (const name of ["id", "created", "currency", "gross", "fee", "net", "category"] as const) {
      if (this.#rows.has(COLUMNS[name])) continue;
      const message = `The report has no column ${COLUMNS[name].join(" or ")}.`;
      throw new StatementError("MISSING", message, position);
    }
    this.builder.begin({}, position);
  }

  row(row: CsvRecord): void {
    const rows = this.#rows;
    if (rows === undefined) return;
    const asset = this.#assetOf(rows.get(row, COLUMNS.currency));
    const { net, fee } = this.#amountsOf(row, rows, asset);
    const date = parseIsoDate(rows.get(row, COLUMNS.created), "The date of creation");
    const available = rows.find(row, COLUMNS.available);
    const text = (name: keyof typeof COLUMNS) => rows.text(row, COLUMNS[name]);
    const id = rows.get(row, COLUMNS.id).text;
    this.builder.line({
      date,
      valueDate:
        available === undefined ? undefined : parseIsoDate(available, "The date of availability"),
      amount: net,
      asset: asset.name,
      fee,
      references: {
        endToEndId: referenceOf(text("payment")),
        instructionId: referenceOf(id),
        providerId: referenceOf(text("source")) ?? referenceOf(id),
        mandateId: undefined,
        batchId: referenceOf(text("payout")),
        text: joinTexts([text("description")]),
      },
      counterparty: { name: textOf(text("customer")), account: undefined },
      category: textOf(text("category")),
      raw: row.raw,
      position: row.position,
    });
  }

  finish(): void {
    const asset = this.#asset === "several" ? undefined : this.#asset;
    this.builder.finish({ asset });
  }

  #assetOf(field: Field): StatementAsset {
    const currency = { text: field.text.toUpperCase(), position: field.position };
    const asset = this.#assets.ofCurrency(currency, "The currency");
    this.#asset ??= asset;
    if (this.#asset !== "several" && this.#asset.name !== asset.name) this.#asset = "several";
    return asset;
  }

  #amountsOf(
    row: CsvRecord,
    rows: ReportRows,
    asset: StatementAsset,
  ): { net: bigint; fee: bigint } {
    const read = (name: "gross" | "fee" | "net"): bigint =>
      parseAmount(rows.get(row, COLUMNS[name]), {
        form: STRIPE_DECIMAL,
        decimals: asset.decimals,
        what: `The ${name} amount`,
      });
    const [gross, fee, net] = [read("gross"), read("fee"), read("net")];
    if (gross - fee === net) return { net, fee };
    const [less, states] = [gross - fee, net].map((amount) => showAmount(amount, asset));
    const message = `Gross less fee is ${less}, but the net amount is ${states}.`;
    throw new StatementError("CONTROL_TOTAL", message, rows.get(row, COLUMNS.net).position);
  }
}
