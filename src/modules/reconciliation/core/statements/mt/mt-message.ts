import { type MtEntry, parseEntry } from "./field-61.ts";
import { parseInfo } from "./field-86.ts";
import type { MtField } from "./mt-fields.ts";
import {
  formError,
  type MtBalance,
  parseBalance,
  parseFloorLimit,
  parseSum,
  singleLine,
} from "./mt-values.ts";
import type { StatementBuilder } from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import {
  type FilePosition,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import {
  type StatementAsset,
  type StatementAssets,
  showAmount,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";
import { cutText, textOf } from "#modules/reconciliation/core/statements/values/texts.ts";

export type MtType = "940" | "942";

/** The fields of each type of message, from SWIFT's standards of category 9; `NS` is what German banks add for their own use. */
const FIELDS: Readonly<Record<MtType, readonly string[]>> = {
  "940": "20 21 25 25P 28 28C 60F 60M 61 86 62F 62M 64 65 NS".split(" "),
  "942": "20 21 25 25P 28 28C 34F 13 13D 61 86 90D 90C NS".split(" "),
};

/** The part of a statement that a message closes with an intermediate balance, which the next message opens with. */
export interface OpenPart {
  readonly account: string;
  readonly number: string;
  readonly balance: MtBalance;
}

/** Counts and sums of one side. */
interface Side {
  count: number;
  sum: bigint;
}

/** One message while it is read. */
export class MtMessage {
  readonly #type: MtType;
  readonly #builder: StatementBuilder;
  readonly #assets: StatementAssets;
  readonly #position: FilePosition;
  readonly #previous: OpenPart | undefined;
  readonly #values = new Map<string, Field>();
  #asset: StatementAsset | undefined;
  #opening: MtBalance | undefined;
  #closing: MtBalance | undefined;
  #entry: { readonly entry: MtEntry; readonly field: MtField; info?: MtField } | undefined;
  readonly #sides = { credit: { count: 0, sum: 0n }, debit: { count: 0, sum: 0n } };

  constructor(
    type: MtType,
    first: MtField,
    {
      builder,
      assets,
      previous,
    }: { builder: StatementBuilder; assets: StatementAssets; previous: OpenPart | undefined },
  ) {
    this.#type = type;
    this.#builder = builder;
    this.#assets = assets;
    this.#position = first.position;
    this.#previous = previous;
  }

  add(field: MtField): void {
    const { tag } = field;
    if (!FIELDS[this.#type].includes(tag))
      throw new StatementError(
        "SYNTAX",
        `The field :${tag}: is none of MT${this.#type}.`,
        field.position,
      );
    if (tag === "86") return this.#addInfo(field);
    this.#flush();
    if (tag === "61") return this.#addEntry(field);
    if (tag === "60F" || tag === "60M") return this.#open(parseBalance(field, this.#assets), field);
    if (tag === "62F" || tag === "62M")
      return this.#close(parseBalance(field, this.#assets), field);
    if (tag === "64" || tag === "65") return void parseBalance(field, this.#assets);
    if (tag === "34F") return this.#setFloorLimit(field);
    if (tag === "90C" || tag === "90D")
      return this.#checkSum(field, tag === "90C" ? "credit" : "debit");
    if (tag !== "NS") this.#setValue(field);
  }

  /** Ends the message. Returns what the next message has to open with. */
  end(): OpenPart | undefined {
    this.#flush();
    const account = this.#valueOf("25", "25P").text;
    const number = this.#valueOf("28C", "28").text;
    if (this.#type === "940") return this.#endStatement({ account, number });
    this.#valueOf("13D", "13");
    this.#begin(this.#position);
    const at = this.#valueOf("13D", "13").text;
    this.#builder.finish({
      id: [this.#valueOf("20").text, number, at].join("/"),
    });
    return undefined;
  }

  #endStatement({ account, number }: { account: string; number: string }): OpenPart | undefined {
    const closing = this.#closing;
    if (closing === undefined) {
      const missing =
        this.#opening === undefined
          ? "opening balance (:60F: or :60M:)"
          : "closing balance (:62F: or :62M:)";
      throw new StatementError("MISSING", `The message has no ${missing}.`, this.#position);
    }
    this.#builder.finish({
      id: [this.#valueOf("20").text, number, closing.date].join("/"),
      to: closing.date,
      closing,
    });
    const isPart = this.#values.has("62M");
    return isPart ? { account, number: statementNumber(number), balance: closing } : undefined;
  }

  #setValue(field: MtField): void {
    const value = singleLine(field);
    if (this.#values.has(field.tag))
      throw new StatementError(
        "SYNTAX",
        `The message has the field :${field.tag}: twice.`,
        field.position,
      );
    const text = textOf(value.text);
    if (text === undefined) throw formError(value, field.tag, "a text that is not empty");
    this.#values.set(field.tag, { text, position: value.position });
  }

  #valueOf(...tags: readonly string[]): Field {
    for (const tag of tags) {
      const value = this.#values.get(tag);
      if (value !== undefined) return value;
    }
    const message = `The message has no field :${tags[0] ?? ""}:.`;
    throw new StatementError("MISSING", message, this.#position);
  }

  #open(balance: MtBalance, field: MtField): void {
    if (this.#opening !== undefined)
      throw new StatementError(
        "SYNTAX",
        "The message has a second opening balance.",
        field.position,
      );
    this.#opening = balance;
    this.#asset = balance.asset;
    if (field.tag === "60M") this.#assertContinues(balance);
    this.#begin(field.position);
  }

  /** The next part of a statement opens with the balance that the part before it closes with. */
  #assertContinues({ amount, asset, position }: MtBalance): void {
    const previous = this.#previous;
    if (previous === undefined || previous.account !== this.#valueOf("25", "25P").text) return;
    if (previous.number !== statementNumber(this.#valueOf("28C", "28").text)) return;
    if (previous.balance.amount === amount && previous.balance.asset.name === asset.name) return;
    const [before, now] = [
      showAmount(previous.balance.amount, previous.balance.asset),
      showAmount(amount, asset),
    ];
    const message = `The statement's part before closes with ${before}, but the next one opens with ${now}.`;
    throw new StatementError("BALANCE", message, position);
  }

  #close(balance: MtBalance, field: MtField): void {
    const asset = this.#requireAsset(field);
    if (this.#closing !== undefined)
      throw new StatementError(
        "SYNTAX",
        "The message has a second closing balance.",
        field.position,
      );
    if (balance.asset.name !== asset.name) {
      const message = `The closing balance is in ${balance.asset.currency}, but the opening one is in ${asset.currency}.`;
      throw new StatementError("CURRENCY", message, balance.position);
    }
    this.#closing = balance;
    this.#values.set(field.tag, { text: field.tag, position: field.position });
  }

  #setFloorLimit(field: MtField): void {
    const asset = parseFloorLimit(field, this.#assets);
    if (this.#asset !== undefined && this.#asset.name !== asset.name) {
      const message = `A floor limit is in ${asset.currency}, but another one is in ${this.#asset.currency}.`;
      throw new StatementError("CURRENCY", message, field.position);
    }
    this.#asset = asset;
  }

  #begin(position: FilePosition): void {
    if (this.#builder.isOpen) return;
    const account = this.#valueOf("25", "25P").text;
    this.#builder.begin({ account, asset: this.#asset, opening: this.#opening }, position);
  }

  #requireAsset(field: MtField): StatementAsset {
    if (this.#asset !== undefined) return this.#asset;
    const before = this.#type === "940" ? "an opening balance (:60F:)" : "a floor limit (:34F:)";
    const message = `The field :${field.tag}: comes before ${before}, which has the currency.`;
    throw new StatementError("MISSING", message, field.position);
  }

  #addEntry(field: MtField): void {
    const asset = this.#requireAsset(field);
    if (this.#closing !== undefined)
      throw new StatementError("SYNTAX", "An entry follows the closing balance.", field.position);
    this.#begin(field.position);
    this.#entry = { entry: parseEntry(field, asset), field };
  }

  #addInfo(field: MtField): void {
    // After the closing balance, the field describes the statement.
    if (this.#entry === undefined) return;
    if (this.#entry.info !== undefined)
      throw new StatementError("SYNTAX", "An entry has a second field :86:.", field.position);
    this.#entry.info = field;
  }

  /** Gives the entry that is complete now. */
  #flush(): void {
    if (this.#entry === undefined || this.#asset === undefined) return;
    const { entry, field, info: infoField } = this.#entry;
    this.#entry = undefined;
    this.#count(entry);
    if (entry.isExpected) return this.#builder.pending(field.position);
    const info = parseInfo(infoField?.lines.map(({ text }) => text) ?? []);
    this.#builder.line({
      date: entry.date,
      valueDate: entry.valueDate,
      amount: entry.amount,
      asset: this.#asset.name,
      fee: undefined,
      references: {
        endToEndId: info.endToEndId,
        instructionId: info.instructionId ?? entry.ownerReference,
        providerId: entry.bankReference,
        mandateId: info.mandateId,
        batchId: info.batchId,
        text: info.text ?? entry.details,
      },
      counterparty: { name: info.name, account: info.account },
      category: info.code === undefined ? entry.type : `${entry.type}/${info.code}`,
      raw: cutText(
        [field, ...(infoField === undefined ? [] : [infoField])].map(sourceOf).join("\n"),
      ),
      position: field.position,
    });
  }

  #count({ amount }: MtEntry): void {
    const side: Side = amount < 0n ? this.#sides.debit : this.#sides.credit;
    side.count++;
    side.sum += amount < 0n ? -amount : amount;
  }

  /** Number and sum of the entries of one side, expected ones included. */
  #checkSum(field: MtField, side: "credit" | "debit"): void {
    const asset = this.#requireAsset(field);
    const { count, amount, position } = parseSum(field, asset, this.#assets);
    const { count: found, sum } = this.#sides[side];
    if (count === found && amount === sum) return;
    const [stated, made] = [showAmount(amount, asset), showAmount(sum, asset)];
    const message = `The message states ${count} ${side} entries of ${stated}, but has ${found} of ${made}.`;
    throw new StatementError("CONTROL_TOTAL", message, position);
  }
}

/** The number of a statement without that of its part: `12` of `12/1`. */
const statementNumber = (number: string): string => number.split("/", 1)[0] ?? number;

const sourceOf = ({ tag, lines }: MtField): string =>
  `:${tag}:${lines.map(({ text }) => text).join("\n")}`;
