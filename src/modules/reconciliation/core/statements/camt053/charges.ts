import { amountOf, isCredit } from "./entry-values.ts";
import type {
  StatementAsset,
  StatementAssets,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import type { ElementFields } from "#modules/reconciliation/core/statements/values/element-fields.ts";

/**
 * The charges that were taken off an amount, in its currency; undefined when there are none. Version 2 states them in `Chrgs` itself, later
 * ones in records. Charges that the amount does not include, and those in another currency, are lines of their own somewhere else.
 */
export function feeOf(
  fields: ElementFields,
  asset: StatementAsset,
  assets: StatementAssets,
): bigint | undefined {
  const path = fields.find("Chrgs/Rcrd/Amt") === undefined ? "Chrgs" : "Chrgs/Rcrd";
  const amounts = fields.all(`${path}/Amt`);
  const total = fields.find("Chrgs/TtlChrgsAndTaxAmt");
  const indicators = fields.all(`${path}/CdtDbtInd`);
  const included = fields.all(`${path}/ChrgInclInd`);
  if (included.some(({ text }) => text.trim() === "false")) return undefined;
  const charges = amounts.length > 0 ? amounts : total === undefined ? [] : [total];
  if (charges.length === 0) return undefined;
  const isGivenBack = indicators.length === charges.length ? indicators.map(isCredit) : [];
  let fee = 0n;
  for (const [i, charge] of charges.entries()) {
    const { amount, asset: of } = amountOf(charge, assets);
    if (of.name !== asset.name) return undefined;
    fee += isGivenBack[i] === true ? -amount : amount;
  }
  return fee;
}
