import {
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type {
  StatementAsset,
  StatementAssets,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import { parseAmount } from "#modules/reconciliation/core/statements/values/decimals.ts";
import type {
  ElementField,
  ElementFields,
} from "#modules/reconciliation/core/statements/values/element-fields.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";

/** A decimal of XML schema: no signs between groups, and no sign in front, because an indicator says the direction. */
export const XML_DECIMAL = { decimalSign: ".", signed: false } as const;

/** Whether an indicator says credit. */
export function isCredit(indicator: Field): boolean {
  const text = indicator.text.trim();
  if (text === "CRDT" || text === "DBIT") return text === "CRDT";
  const message = `The indicator CdtDbtInd is ${quoteText(indicator.text)}, which is neither CRDT nor DBIT.`;
  throw new StatementError("VALUE", message, indicator.position);
}

/** An amount whose currency is that of its attribute `Ccy`. */
export function amountOf(
  field: ElementField,
  assets: StatementAssets,
): { amount: bigint; asset: StatementAsset } {
  if (field.currency === undefined)
    throw new StatementError("MISSING", "An amount has no currency (Ccy).", field.position);
  const asset = assets.ofCurrency(field.currency, "The currency of an amount");
  const options = { form: XML_DECIMAL, decimals: asset.decimals, what: "An amount" };
  return { amount: parseAmount(field, options), asset };
}

/** The amount of an element with its sign, which must be in the account's currency. */
export function signedAmount(
  fields: ElementFields,
  { assets, expected }: { assets: StatementAssets; expected: StatementAsset },
): bigint {
  const field = fields.only("Amt");
  const { amount, asset } = amountOf(field, assets);
  if (asset.name !== expected.name) {
    const message = `An entry is in ${asset.currency}, but the account is in ${expected.currency}.`;
    throw new StatementError("CURRENCY", message, field.currency?.position ?? field.position);
  }
  return isCredit(fields.only("CdtDbtInd")) ? amount : -amount;
}

/** The status of an entry, which is a code in version 2 and an element with a code in later ones. */
export function entryStatus(fields: ElementFields): "booked" | "pending" {
  const status = fields.only("Sts/Cd", "Sts");
  const code = status.text.trim();
  if (code === "BOOK") return "booked";
  // Information only, and future entries, do not change the balance either.
  if (code === "PDNG" || code === "INFO" || code === "FUTR") return "pending";
  const message = `The status of an entry is ${quoteText(status.text)}, which is none of BOOK, PDNG, INFO and FUTR.`;
  throw new StatementError("VALUE", message, status.position);
}
