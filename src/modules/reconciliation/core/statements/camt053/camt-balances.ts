import { amountOf, isCredit } from "./entry-values.ts";
import type { StatedBalance } from "#modules/reconciliation/core/statements/builder/statement-builder.ts";
import { StatementError } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type {
  StatementAsset,
  StatementAssets,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import { parseIsoDate } from "#modules/reconciliation/core/statements/values/calendar.ts";
import type { ElementFields } from "#modules/reconciliation/core/statements/values/element-fields.ts";

interface DatedBalance extends StatedBalance {
  readonly date: string | undefined;
}

/**
 * The balances of a statement. A statement of several pages has intermediate ones (`ITBD`): the first page opens with `OPBD`, the last one
 * closes with `CLBD`, and in between the first `ITBD` opens and the second one closes.
 */
export class CamtBalances {
  readonly #byCode = new Map<string, DatedBalance[]>();
  asset: StatementAsset | undefined;

  get opening(): StatedBalance | undefined {
    return this.#opening;
  }
  get closing(): StatedBalance | undefined {
    return this.#closing;
  }
  get openingDate(): string | undefined {
    // A previously closed balance is of the day before.
    return this.#first("OPBD")?.date ?? this.#first("ITBD")?.date ?? this.#closing?.date;
  }
  get closingDate(): string | undefined {
    return this.#closing?.date;
  }

  get #opening(): DatedBalance | undefined {
    return this.#first("OPBD") ?? this.#first("PRCD") ?? this.#first("ITBD");
  }

  get #closing(): DatedBalance | undefined {
    const intermediate = this.#byCode.get("ITBD") ?? [];
    const last = intermediate.at(-1);
    return this.#first("CLBD") ?? (last === this.#opening ? undefined : last);
  }

  #first(code: string): DatedBalance | undefined {
    return this.#byCode.get(code)?.[0];
  }

  add(fields: ElementFields, assets: StatementAssets): void {
    const code = fields.get("Tp/CdOrPrtry/Cd", "Tp/CdOrPrtry/Prtry").text.trim();
    const field = fields.only("Amt");
    const { amount, asset } = amountOf(field, assets);
    const isPositive = isCredit(fields.only("CdtDbtInd"));
    const date = fields.find("Dt/Dt", "Dt/DtTm");
    const balance = {
      amount: isPositive ? amount : -amount,
      position: field.position,
      date: date === undefined ? undefined : parseIsoDate(date, "The date of a balance"),
    };
    this.#assertAsset(asset, fields);
    const others = this.#byCode.get(code) ?? [];
    const isTwice = (code === "OPBD" || code === "PRCD" || code === "CLBD") && others.length > 0;
    if (isTwice)
      throw new StatementError(
        "SYNTAX",
        `The statement has the balance ${code} twice.`,
        fields.position,
      );
    this.#byCode.set(code, [...others.slice(0, 1), balance]);
  }

  #assertAsset(asset: StatementAsset, fields: ElementFields): void {
    this.asset ??= asset;
    if (this.asset.name === asset.name) return;
    const message = `A balance is in ${asset.currency}, but another one of the statement is in ${this.asset.currency}.`;
    throw new StatementError("CURRENCY", message, fields.position);
  }
}
