import type { Bai2Record } from "./bai2-records.ts";
import { codeKind, fieldOf, impliedAmount, parseFunds, requireField } from "./bai2-values.ts";
import type {
  StatedBalance,
  StatementBuilder,
} from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import { StatementError } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { StatementAsset } from "#modules/reconciliation/core/statements/values/assets.ts";
import { parseCount } from "#modules/reconciliation/core/statements/values/decimals.ts";
import { joinTexts, referenceOf } from "#modules/reconciliation/core/statements/values/texts.ts";

/** What an account's records are read with. */
export interface AccountContext {
  readonly id: string;
  readonly asset: StatementAsset;
  /** The day as of which the group is. */
  readonly day: string;
  readonly builder: StatementBuilder;
}

/** Codes of the ledger's balances in the record of an account. */
const OPENING = "010";
const CLOSING = "015";

/** An account of a group, from its record 03 to its record 49. */
export class Bai2Account {
  readonly #context: AccountContext;
  #control = 0n;
  #records = 0;

  constructor(record: Bai2Record, context: AccountContext) {
    this.#context = context;
    const { asset, builder, day, id } = context;
    const account = requireField(record, 2, "account number").text.trim();
    const balances = this.#readSummary(record);
    builder.begin(
      {
        id,
        account,
        asset,
        from: day,
        to: day,
        opening: balances.get(OPENING),
        closing: balances.get(CLOSING),
      },
      record.position,
    );
    this.#records += record.ends.length;
  }

  /** The sum of all amounts, which groups add up. */
  get control(): bigint {
    return this.#control;
  }
  /** The number of physical records. */
  get records(): number {
    return this.#records;
  }

  addDetail(record: Bai2Record): void {
    const { asset, builder, day } = this.#context;
    const kind = codeKind(requireField(record, 2, "type code"));
    const field = requireField(record, 3, "amount");
    const amount = impliedAmount(field, "An amount");
    if (kind === "status" || amount < 0n) {
      const message =
        kind === "status"
          ? "A detail (16) has the type code of a balance."
          : "The amount of a detail (16) has a sign, although its type code says the direction.";
      throw new StatementError("VALUE", message, field.position);
    }
    this.#control += amount;
    this.#records += record.ends.length;
    const funds = parseFunds(record.fields, 2);
    // The fields are counted from the code, which is the first one, and the type of funds is the fourth.
    const next = 4 + funds.length;
    builder.line({
      date: day,
      valueDate: funds.valueDate,
      amount: kind === "debit" ? -amount : amount,
      asset: asset.name,
      fee: undefined,
      references: {
        endToEndId: undefined,
        instructionId: referenceOf(fieldOf(record, next + 1)?.text),
        providerId: referenceOf(fieldOf(record, next)?.text),
        mandateId: undefined,
        batchId: undefined,
        text: textAfter(record, next),
      },
      counterparty: { name: undefined, account: undefined },
      category: record.fields[0]?.text.trim(),
      raw: record.raw,
      position: record.position,
    });
  }

  /** Ends the account with its trailer, whose sum and count must be those of its records. */
  end(trailer: Bai2Record): void {
    this.#records += trailer.ends.length;
    assertSum(trailer, this.#control, "account");
    assertCount(trailer, 3, { found: this.#records, what: "records of the account" });
    this.#context.builder.finish({});
  }

  /** Reads balances and sums by type code. */
  #readSummary(record: Bai2Record): Map<string, StatedBalance> {
    const found = new Map<string, StatedBalance>();
    const { fields } = record;
    let i = 2;
    while (i < fields.length) {
      const code = fields[i];
      const field = fields[i + 1];
      // A record without balances, and a list that ends with a comma, have empty fields.
      if (code === undefined || code.text.trim() === "") {
        this.#assertEmpty(record, i);
        break;
      }
      codeKind(code);
      const key = code.text.trim();
      if (field !== undefined && field.text.trim() !== "") {
        const amount = impliedAmount(field, `The amount of the type code ${key}`);
        if (found.has(key))
          throw new StatementError(
            "SYNTAX",
            `The account has the type code ${key} twice.`,
            code.position,
          );
        found.set(key, { amount, position: field.position });
        this.#control += amount;
      }
      i += 3 + parseFunds(fields, i + 3).length;
    }
    return found;
  }

  #assertEmpty({ fields }: Bai2Record, start: number): void {
    const field = fields.slice(start).find(({ text }) => text.trim() !== "");
    if (field === undefined) return;
    throw new StatementError(
      "SYNTAX",
      "An account (03) has a value without a type code.",
      field.position,
    );
  }
}

/** The text behind the references, which goes on in continuations. */
function textAfter(record: Bai2Record, next: number): string | undefined {
  let from = next; // The index of the field behind the two references.
  const parts: string[] = [];
  for (const end of record.ends) {
    if (end <= from) continue;
    parts.push(
      record.fields
        .slice(from, end)
        .map(({ text }) => text)
        .join(","),
    );
    from = end;
  }
  return joinTexts(parts);
}

/** Throws `StatementError` when a trailer does not state a sum. */
export function assertSum(trailer: Bai2Record, sum: bigint, what: string): void {
  const field = requireField(trailer, 2, "control total");
  const stated = impliedAmount(field, "A control total");
  if (stated === sum) return;
  const message = `The control total of the ${what} is ${stated}, but its amounts add up to ${sum}.`;
  throw new StatementError("CONTROL_TOTAL", message, field.position);
}

/** Throws `StatementError` when a trailer does not state a count. */
export function assertCount(
  trailer: Bai2Record,
  number: number,
  { found, what }: { found: number; what: string },
): void {
  const field = requireField(trailer, number, "count");
  const stated = parseCount(field, "A count");
  if (stated === found) return;
  const message = `A trailer states ${stated} ${what}, but there are ${found}.`;
  throw new StatementError("CONTROL_TOTAL", message, field.position);
}
