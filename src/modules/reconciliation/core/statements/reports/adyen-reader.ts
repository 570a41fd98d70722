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
import {
  joinTexts,
  referenceOf,
  textOf,
} from "#modules/reconciliation/core/statements/values/texts.ts";

const REQUIRED = [
  "Merchant Account",
  "Psp Reference",
  "Type",
  "Creation Date",
  "Gross Currency",
  "Gross Debit (GC)",
  "Gross Credit (GC)",
  "Net Currency",
  "Net Debit (NC)",
  "Net Credit (NC)",
  "Commission (NC)",
  "Batch Number",
];
/** What Adyen keeps: a commission, or with IC++ pricing the other three. */
const FEES = ["Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)"];

const ADYEN_DECIMAL = { decimalSign: ".", signed: true } as const;

/**
 * Reads Adyen's settlement detail report, with the column names of Adyen's documentation of it. The amount of a line is its net credit
 * less its net debit; where gross and net are in one currency, `net = gross - fees` is checked. A payout (`MerchantPayout`) is a line.
 */
export class AdyenReader implements RowReader {
  readonly builder = new StatementBuilder();
  readonly #assets: StatementAssets;
  #rows: ReportRows | undefined;
  readonly #seen = {
    assets: new Map<string, StatementAsset>(),
    batches: new Set<string>(),
    accounts: new Set<string>(),
  };

  constructor(options: ReadOptions) {
    this.#assets = new StatementAssets(options);
  }

  begin(table: CsvTable): void {
    this.#rows = new ReportRows(table);
    const position = table.header?.position ?? FILE_START;
    for (const name of REQUIRED) {
      if (this.#rows.has(name)) continue;
      throw new StatementError("MISSING", `The report has no column ${name}.`, position);
    }
    this.builder.begin({}, position);
  }

  row(row: CsvRecord): void {
    const rows = this.#rows;
    if (rows === undefined) return;
    const asset = this.#assets.ofCurrency(rows.get(row, "Net Currency"), "The net currency");
    const net = this.#side(row, { column: "Net", unit: "NC", asset });
    const fee = this.#feesOf(row, asset);
    this.#assertNet(row, { net, fee, asset });
    const account = rows.get(row, "Merchant Account").text.trim();
    const batch = rows.get(row, "Batch Number").text.trim();
    const created = parseIsoDate(rows.get(row, "Creation Date"), "The date of creation");
    const booked = rows.find(row, "Booking Date");
    const date = booked === undefined ? created : parseIsoDate(booked, "The booking date");
    this.#see({ asset, batch, account });
    this.builder.line({
      date,
      valueDate: undefined,
      amount: net,
      asset: asset.name,
      fee,
      references: {
        endToEndId: referenceOf(rows.text(row, "Merchant Reference")),
        instructionId: referenceOf(rows.text(row, "Modification Reference")),
        providerId: referenceOf(rows.text(row, "Psp Reference")),
        mandateId: undefined,
        batchId: batch,
        text: joinTexts([
          rows.text(row, "Payment Method"),
          rows.text(row, "Modification Merchant Reference"),
        ]),
      },
      counterparty: { name: undefined, account: undefined },
      category: textOf(rows.get(row, "Type").text),
      raw: row.raw,
      position: row.position,
    });
  }

  finish(): void {
    const { assets, batches, accounts } = this.#seen;
    const only = <T>(values: Iterable<T>): T | undefined => {
      const [first, second] = values;
      return second === undefined ? first : undefined;
    };
    const [account, batch] = [only(accounts), only(batches)];
    this.builder.finish({
      id: account === undefined || batch === undefined ? undefined : `${account}/${batch}`,
      account,
      asset: only(assets.values()),
    });
  }

  /** Credit less debit of the gross or net columns. Adyen fills one of the two. */
  #side(
    row: CsvRecord,
    { column, unit, asset }: { column: "Gross" | "Net"; unit: "GC" | "NC"; asset: StatementAsset },
  ): bigint {
    const names = { credit: `${column} Credit (${unit})`, debit: `${column} Debit (${unit})` };
    const credit = this.#amount(row, names.credit, asset);
    const debit = this.#amount(row, names.debit, asset);
    if (credit !== 0n && debit !== 0n) {
      const message = `A row has both ${names.credit} and ${names.debit}.`;
      const at = this.#rows?.find(row, names.debit)?.position;
      throw new StatementError("VALUE", message, at ?? row.position);
    }
    return credit - debit;
  }

  /** An amount of a column; an empty one is none. */
  #amount(row: CsvRecord, name: string, { decimals }: StatementAsset): bigint {
    const field = this.#rows?.find(row, name);
    if (field === undefined) return 0n;
    return parseAmount(field, { form: ADYEN_DECIMAL, decimals, what: `The column ${name}` });
  }

  #feesOf(row: CsvRecord, asset: StatementAsset): bigint | undefined {
    const isThere = FEES.some((name) => this.#rows?.find(row, name) !== undefined);
    return isThere
      ? FEES.reduce((sum, name) => sum + this.#amount(row, name, asset), 0n)
      : undefined;
  }

  /** Rows without gross amount, such as payouts and fees of a month, have nothing to compare. */
  #assertNet(
    row: CsvRecord,
    { net, fee, asset }: { net: bigint; fee: bigint | undefined; asset: StatementAsset },
  ): void {
    const currency = this.#rows?.find(row, "Gross Currency");
    if (currency === undefined) return;
    const gross = this.#assets.ofCurrency(currency, "The gross currency");
    const amount = this.#side(row, { column: "Gross", unit: "GC", asset: gross });
    const hasGross = ["Gross Credit (GC)", "Gross Debit (GC)"].some(
      (name) => this.#rows?.find(row, name) !== undefined,
    );
    if (!hasGross || gross.name !== asset.name || amount - (fee ?? 0n) === net) return;
    const [less, states] = [amount - (fee ?? 0n), net].map((value) => showAmount(value, asset));
    const message = `Gross less fees is ${less}, but the net amount is ${states}.`;
    const at = this.#rows?.find(row, "Net Credit (NC)") ?? this.#rows?.find(row, "Net Debit (NC)");
    throw new StatementError("CONTROL_TOTAL", message, at?.position ?? row.position);
  }

  #see(row: { asset: StatementAsset; batch: string; account: string }): void {
    const { assets, batches, accounts } = this.#seen;
    // Whether there are several is all that is asked, so two are enough.
    if (assets.size < 2) assets.set(row.asset.name, row.asset);
    if (batches.size < 2) batches.add(row.batch);
    if (accounts.size < 2) accounts.add(row.account);
  }
}
