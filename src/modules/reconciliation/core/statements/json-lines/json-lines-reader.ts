import { JsonRecord } from "./json-record.ts";
import type { FormatReader } from "#modules/reconciliation/core/statements/builder/format-reader.ts";
import {
  type StatedBalance,
  StatementBuilder,
} from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import { AMOUNT_DIGITS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import type { ReadOptions } from "#modules/reconciliation/core/statements/model/options.ts";
import {
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { StatementEvent } from "#modules/reconciliation/core/statements/model/statement.ts";
import {
  type Line,
  LineSplitter,
} from "#modules/reconciliation/core/statements/text/line-splitter.ts";
import type { TextCursor } from "#modules/reconciliation/core/statements/text/text-cursor.ts";
import {
  type StatementAsset,
  StatementAssets,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import { parseIsoDate } from "#modules/reconciliation/core/statements/values/calendar.ts";
import {
  cutText,
  joinTexts,
  referenceOf,
  textOf,
} from "#modules/reconciliation/core/statements/values/texts.ts";

const LINE_MEMBERS = new Set(
  "date valueDate amount asset fee endToEndId instructionId providerId mandateId batchId text name account category status".split(
    " ",
  ),
);
const HEAD_MEMBERS = new Set("id account asset from to opening closing".split(" "));
const HEAD_LINE_MEMBERS = new Set(["statement"]);

/**
 * Reads lines of JSON objects (jsonlines.org) with the members of `LINE_MEMBERS`; amounts are whole numbers of the asset's smallest unit, or texts of
 * these. A line `{"statement": {…}}` with members of `HEAD_MEMBERS` begins a statement, whose lines may leave out its asset.
 */
export class JsonLinesReader implements FormatReader {
  readonly #lines: LineSplitter;
  readonly #builder = new StatementBuilder();
  readonly #assets: StatementAssets;
  #asset: StatementAsset | undefined;

  constructor(cursor: TextCursor, options: ReadOptions) {
    this.#lines = new LineSplitter(cursor);
    this.#assets = new StatementAssets(options);
  }

  write(text: string): readonly StatementEvent[] {
    this.#readLines(this.#lines.split(text));
    return this.#builder.drain();
  }

  end(): readonly StatementEvent[] {
    this.#readLines(this.#lines.end());
    if (this.#builder.isOpen) this.#builder.finish({});
    return this.#builder.drain();
  }

  #readLines(lines: readonly Line[]): void {
    for (const line of lines) {
      if (line.text.trim() === "") continue;
      const record = JsonRecord.parse(line);
      if (record.has("statement")) this.#beginStatement(record);
      else this.#addLine(record);
    }
  }

  #beginStatement(record: JsonRecord): void {
    if (this.#builder.isOpen) this.#builder.finish({});
    record.assertOnly(HEAD_LINE_MEMBERS);
    const head = record.object("statement");
    head.assertOnly(HEAD_MEMBERS);
    const asset = head.text("asset");
    this.#asset = asset === undefined ? undefined : this.#assets.ofName(asset, "The asset");
    const date = (name: string): string | undefined => {
      const field = head.text(name);
      return field === undefined ? undefined : parseIsoDate(field, `The member ${name}`);
    };
    const balance = (name: string): StatedBalance | undefined => {
      const amount = head.integer(name, AMOUNT_DIGITS_MAX);
      return amount === undefined ? undefined : { amount, position: head.at(name) };
    };
    const [opening, closing] = [balance("opening"), balance("closing")];
    if ((opening ?? closing) !== undefined && this.#asset === undefined)
      throw new StatementError("MISSING", "A statement with balances has no asset.", head.position);
    this.#builder.begin(
      {
        id: textOf(head.text("id")?.text),
        account: textOf(head.text("account")?.text),
        asset: this.#asset,
        from: date("from"),
        to: date("to"),
        opening,
        closing,
      },
      record.position,
    );
  }

  #addLine(record: JsonRecord): void {
    if (!this.#builder.isOpen) this.#builder.begin({}, record.position);
    record.assertOnly(LINE_MEMBERS);
    if (isPending(record)) return this.#builder.pending(record.position);
    const amount = record.integer("amount", AMOUNT_DIGITS_MAX);
    if (amount === undefined)
      throw new StatementError("MISSING", "The line has no amount.", record.position);
    const valueDate = record.text("valueDate");
    const text = (name: string): string | undefined => record.text(name)?.text;
    this.#builder.line({
      date: parseIsoDate(record.require("date"), "The date"),
      valueDate: valueDate === undefined ? undefined : parseIsoDate(valueDate, "The value date"),
      amount,
      asset: this.#assetOf(record).name,
      fee: record.integer("fee", AMOUNT_DIGITS_MAX),
      references: {
        endToEndId: referenceOf(text("endToEndId")),
        instructionId: referenceOf(text("instructionId")),
        providerId: referenceOf(text("providerId")),
        mandateId: referenceOf(text("mandateId")),
        batchId: referenceOf(text("batchId")),
        text: joinTexts([text("text")]),
      },
      counterparty: { name: textOf(text("name")), account: textOf(text("account")) },
      category: textOf(text("category")),
      raw: cutText(record.raw),
      position: record.position,
    });
  }

  /** The asset of a line, which is its statement's if that has one. */
  #assetOf(record: JsonRecord): StatementAsset {
    const field = this.#asset === undefined ? record.require("asset") : record.text("asset");
    if (field === undefined && this.#asset !== undefined) return this.#asset;
    const asset = this.#assets.ofName(field ?? record.require("asset"), "The asset");
    if (this.#asset === undefined || this.#asset.name === asset.name) return asset;
    const message = `The line is in ${asset.name}, but its statement is in ${this.#asset.name}.`;
    throw new StatementError("CURRENCY", message, record.require("asset").position);
  }
}

/** Whether a line is marked as pending. Without a status, it is booked. */
function isPending(record: JsonRecord): boolean {
  const status = record.text("status");
  if (status === undefined || status.text === "booked") return false;
  if (status.text === "pending") return true;
  const message = `The status is ${quoteText(status.text)}, which is neither booked nor pending.`;
  throw new StatementError("VALUE", message, status.position);
}
