import { CamtBalances } from "./camt-balances.ts";
import { checkSummary, EntrySums } from "./camt-summary.ts";
import { type Details, entryLines, readDetails } from "./entry-lines.ts";
import { entryStatus, signedAmount } from "./entry-values.ts";
import type { StatementBuilder } from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import type { RawText } from "#modules/reconciliation/core/statements/elements/raw-text.ts";
import { DETAILS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import {
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type {
  StatementAsset,
  StatementAssets,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import { parseIsoDate } from "#modules/reconciliation/core/statements/values/calendar.ts";
import type { ElementFields } from "#modules/reconciliation/core/statements/values/element-fields.ts";
import { textOf } from "#modules/reconciliation/core/statements/values/texts.ts";

/** Gives the source of an element that has just closed. */
type TakeSource = (raw: RawText) => string;

/** One `Stmt` while it is read. Its balances come before its entries, as the schema orders them. */
export class CamtStatement {
  readonly #fields: ElementFields;
  readonly #builder: StatementBuilder;
  readonly #assets: StatementAssets;
  readonly #balances = new CamtBalances();
  readonly #sums = new EntrySums();
  #entrySource: RawText | undefined;
  #detailsSource: RawText | undefined;
  #details: Details[] = [];
  #asset: StatementAsset | undefined;

  /** `fields` are filled while the statement is read. */
  constructor(fields: ElementFields, builder: StatementBuilder, assets: StatementAssets) {
    this.#fields = fields;
    this.#builder = builder;
    this.#assets = assets;
  }

  addBalance(fields: ElementFields): void {
    if (this.#asset !== undefined)
      throw new StatementError(
        "SYNTAX",
        "A balance (Bal) follows an entry (Ntry).",
        fields.position,
      );
    this.#balances.add(fields, this.#assets);
  }

  openEntry(source: RawText): void {
    this.#begin();
    this.#entrySource = source;
    this.#details = [];
  }

  openDetails(source: RawText): void {
    this.#detailsSource = source;
  }

  closeDetails(fields: ElementFields, take: TakeSource): void {
    if (this.#detailsSource === undefined) return;
    if (this.#details.length >= DETAILS_MAX) {
      const message = `An entry has more than ${DETAILS_MAX} transaction details.`;
      throw new StatementError("LIMIT", message, fields.position);
    }
    const source = take(this.#detailsSource);
    this.#details.push(readDetails(fields, source));
  }

  closeEntry(fields: ElementFields, take: TakeSource): void {
    const asset = this.#asset;
    if (this.#entrySource === undefined || asset === undefined) return;
    const source = take(this.#entrySource);
    const amount = signedAmount(fields, { assets: this.#assets, expected: asset });
    this.#sums.add(amount);
    if (entryStatus(fields) === "booked") {
      const entry = { fields, source, amount, asset, details: this.#details };
      for (const line of entryLines(entry, this.#assets)) this.#builder.line(line);
    } else {
      this.#sums.addPending(amount);
      this.#builder.pending(fields.position);
    }
    this.#details = [];
    this.#entrySource = undefined;
  }

  finish(): void {
    this.#begin();
    const closing = this.#balances.closing;
    if (closing === undefined || this.#balances.opening === undefined) {
      const missing =
        closing === undefined ? "closing balance (CLBD)" : "opening balance (OPBD or PRCD)";
      throw new StatementError(
        "MISSING",
        `The statement has no ${missing}.`,
        this.#fields.position,
      );
    }
    if (this.#asset !== undefined) checkSummary(this.#fields, this.#sums, this.#asset);
    this.#builder.finish({});
  }

  /** Begins the statement, when all that precedes its entries is there. */
  #begin(): void {
    if (this.#asset !== undefined) return;
    const fields = this.#fields;
    fields.assertSingle("Id", "Acct/Id/IBAN", "Acct/Id/Othr/Id", "Acct/Ccy");
    this.#asset = this.#assetOfAccount();
    const from = fields.find("FrToDt/FrDtTm", "FrToDt/FrDt");
    const to = fields.find("FrToDt/ToDtTm", "FrToDt/ToDt");
    this.#builder.begin(
      {
        id: textOf(fields.get("Id").text),
        account: textOf(fields.get("Acct/Id/IBAN", "Acct/Id/Othr/Id").text),
        asset: this.#asset,
        from: from === undefined ? this.#balances.openingDate : parseIsoDate(from, "FrToDt/FrDtTm"),
        to: to === undefined ? this.#balances.closingDate : parseIsoDate(to, "FrToDt/ToDtTm"),
        opening: this.#balances.opening,
        closing: this.#balances.closing,
      },
      fields.position,
    );
  }

  /** The asset of the account, which its balances share. */
  #assetOfAccount(): StatementAsset {
    const currency = this.#fields.find("Acct/Ccy");
    const ofBalances = this.#balances.asset;
    if (currency === undefined) {
      if (ofBalances !== undefined) return ofBalances;
      throw new StatementError(
        "MISSING",
        "The statement has neither a currency (Acct/Ccy) nor a balance.",
        this.#fields.position,
      );
    }
    const asset = this.#assets.ofCurrency(currency, "The account's currency (Acct/Ccy)");
    if (ofBalances === undefined || ofBalances.name === asset.name) return asset;
    const message = `The account is in ${quoteText(asset.currency)}, but its balances are in ${quoteText(ofBalances.currency)}.`;
    throw new StatementError("CURRENCY", message, currency.position);
  }
}
