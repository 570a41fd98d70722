import { columnsOf, normalizeWord } from "./check-mapping.ts";
import { columnAmount } from "./column-amount.ts";
import type { CsvRecord } from "./csv-record.ts";
import { type CsvTable, findValue, requireValue } from "./csv-table.ts";
import type { DateFormat } from "./date-format.ts";
import { RunningBalance } from "./running-balance.ts";
import type { RowReader } from "./table-reader.ts";
import { StatementBuilder } from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import type {
  CsvColumn,
  CsvMapping,
} from "#modules/reconciliation/core/statements/model/csv-mapping.ts";
import type { ReadOptions } from "#modules/reconciliation/core/statements/model/options.ts";
import { FILE_START } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { StatementLine } from "#modules/reconciliation/core/statements/model/statement.ts";
import {
  type StatementAsset,
  StatementAssets,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import {
  type DecimalForm,
  parseAmount,
} from "#modules/reconciliation/core/statements/values/decimals.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";
import {
  joinTexts,
  referenceOf,
  textOf,
} from "#modules/reconciliation/core/statements/values/texts.ts";
import { assert } from "#platform/assert.ts";

type ReferenceColumn =
  | "endToEndId"
  | "instructionId"
  | "providerId"
  | "mandateId"
  | "batchId"
  | "name"
  | "account"
  | "category";

/** Reads rows by a mapping. */
export class CsvReader implements RowReader {
  readonly builder = new StatementBuilder();
  readonly #mapping: CsvMapping;
  readonly #dates: DateFormat;
  readonly #assets: StatementAssets;
  readonly #form: DecimalForm;
  readonly #balance: RunningBalance;
  /** The asset of all lines, if the mapping names it. */
  readonly #fixed: StatementAsset | undefined;
  #table: CsvTable | undefined;
  readonly #indexes = new Map<CsvColumn, number>();

  constructor(mapping: CsvMapping, dates: DateFormat, options: ReadOptions) {
    this.#mapping = mapping;
    this.#dates = dates;
    this.#assets = new StatementAssets(options);
    this.#form = {
      decimalSign: mapping.decimalSign,
      thousandsSign: mapping.thousandsSign,
      signed: true,
    };
    this.#balance = new RunningBalance(mapping.newestFirst === true);
    this.#fixed =
      mapping.asset === undefined
        ? undefined
        : this.#assets.ofName({ text: mapping.asset, position: FILE_START }, "The mapping's asset");
  }

  begin(table: CsvTable): void {
    this.#table = table;
    const { statement } = this.#mapping;
    // Columns that the file lacks are found before its first row.
    for (const column of columnsOf(this.#mapping)) this.#indexOf(column);
    this.builder.begin(
      { id: statement?.id, account: statement?.account, asset: this.#fixed },
      table.header?.position ?? FILE_START,
    );
  }

  row(row: CsvRecord): void {
    if (this.#isPending(row)) return this.builder.pending(row.position);
    const { columns, amount: how } = this.#mapping;
    const date = this.#dates.read(
      this.#require(row, columns.date, "The booking date"),
      "The booking date",
    );
    const valueDate = this.#find(row, columns.valueDate);
    const asset = this.#assetOf(row);
    const parse = (field: Field, what: string): bigint =>
      parseAmount(field, { form: this.#form, decimals: asset.decimals, what });
    const amount = columnAmount(how, {
      parse,
      find: (column) => this.#find(row, column),
      require: (column, what) => this.#require(row, column, what),
    });
    const fee = this.#find(row, columns.fee);
    const balance = this.#find(row, columns.balance);
    if (columns.balance !== undefined) {
      const field = balance ?? this.#require(row, columns.balance, "The balance");
      this.#balance.add(
        { amount, balance: parse(field, "The balance"), position: field.position },
        asset,
      );
    }
    this.builder.line({
      date,
      valueDate:
        valueDate === undefined ? undefined : this.#dates.read(valueDate, "The value date"),
      amount,
      asset: asset.name,
      fee: fee === undefined ? undefined : parse(fee, "The fee"),
      ...this.#texts(row),
      raw: row.raw,
      position: row.position,
    });
  }

  finish(): void {
    const { opening, closing, asset } = this.#balance.ends();
    this.builder.finish(asset === undefined ? {} : { asset, opening, closing });
  }

  #texts(row: CsvRecord): Pick<StatementLine, "references" | "counterparty" | "category"> {
    const { columns } = this.#mapping;
    const text = (name: ReferenceColumn) => this.#find(row, columns[name])?.text;
    return {
      references: {
        endToEndId: referenceOf(text("endToEndId")),
        instructionId: referenceOf(text("instructionId")),
        providerId: referenceOf(text("providerId")),
        mandateId: referenceOf(text("mandateId")),
        batchId: referenceOf(text("batchId")),
        text: joinTexts((columns.text ?? []).map((column) => this.#find(row, column)?.text)),
      },
      counterparty: { name: textOf(text("name")), account: textOf(text("account")) },
      category: textOf(text("category")),
    };
  }

  #assetOf(row: CsvRecord): StatementAsset {
    if (this.#fixed !== undefined) return this.#fixed;
    const { currency } = this.#mapping.columns;
    assert(currency !== undefined, "checkMapping demands a column when no asset is fixed");
    const field = this.#require(row, currency, "The currency");
    const named = { text: field.text.toUpperCase(), position: field.position };
    return this.#assets.ofName(named, "The currency");
  }

  #isPending(row: CsvRecord): boolean {
    const { pending } = this.#mapping;
    if (pending === undefined) return false;
    const word = normalizeWord(this.#find(row, pending.column)?.text ?? "");
    return pending.words.some((pendingWord) => normalizeWord(pendingWord) === word);
  }

  #find(row: CsvRecord, column: CsvColumn | undefined): Field | undefined {
    return column === undefined ? undefined : findValue(row, this.#indexOf(column));
  }

  #require(row: CsvRecord, column: CsvColumn, what: string): Field {
    return requireValue(row, this.#indexOf(column), what);
  }

  #indexOf(column: CsvColumn): number {
    const known = this.#indexes.get(column);
    if (known !== undefined) return known;
    const index = this.#table?.indexOf(column) ?? 0;
    this.#indexes.set(column, index);
    return index;
  }
}
