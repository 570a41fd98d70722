import * as z from "zod";
import { ANY_ASSET, balanceText } from "./expressions.ts";
import { byAsset, ledgerSource, QueryField } from "./fields.ts";
import { balanceIn, fingerprintOf, type Reading, type Template, WHOLE } from "./template.ts";
import { invalid } from "#modules/reconciliation/core/fields.ts";
import { quoteJson } from "#platform/json.ts";
import { BigIntegerInput } from "#platform/validation.ts";

const Bounds = z.strictObject({ min: BigIntegerInput.nullish(), max: BigIntegerInput.nullish() });

export const ThresholdSpec = z.strictObject({
  ledger: z.string(),
  query: QueryField,
  mode: z.enum(["aggregate", "per_account"]).nullish(),
  bounds: byAsset(Bounds).refine(
    (bounds) => Object.keys(bounds).length > 0,
    "expected at least one asset",
  ),
});

/** Accounts of a ledger whose balance, together or each by itself, stays between two bounds of an asset, both of which are allowed. */
export function thresholdTemplate(spec: z.output<typeof ThresholdSpec>): Template {
  const { bounds: given } = spec;
  const source = ledgerSource(spec, { ledger: "ledger", query: "query" });
  const isPerAccount = spec.mode === "per_account";
  const bounds = Object.entries(given).map(([asset, { min, max }]) => {
    const known = { asset, min: min ?? undefined, max: max ?? undefined };
    if (known.min === undefined && known.max === undefined) {
      throw invalid(`bounds.${asset} has neither min nor max`);
    }
    if (known.min !== undefined && known.max !== undefined && known.min > known.max) {
      throw invalid(`bounds.${asset} has a min above its max`);
    }
    return known;
  });
  return {
    sources: [source],
    isPerAccount,
    explanation: `min(${quoteJson(ANY_ASSET)}) <= ${balanceText(source, ANY_ASSET)} && ${balanceText(source, ANY_ASSET)} <= max(${quoteJson(ANY_ASSET)})`,
    *outcomes([reading]: readonly Reading[]) {
      const accounts = isPerAccount ? [...(reading?.keys() ?? [])] : [WHOLE];
      for (const account of accounts) {
        for (const { asset, min, max } of bounds) {
          const balance = balanceIn(reading, account, asset);
          const fingerprint = fingerprintOf(asset, account);
          const isWithin =
            (min === undefined || min <= balance) && (max === undefined || balance <= max);
          if (isWithin) {
            const proof = {
              balance: String(balance),
              ...(min === undefined ? {} : { min: String(min) }),
              ...(max === undefined ? {} : { max: String(max) }),
            };
            yield { fingerprint, passed: true, proof };
            continue;
          }
          const text = balanceText(source, asset, account);
          const evidence = {
            asset,
            ...(account === WHOLE ? {} : { account }),
            balance: String(balance),
            ...(min === undefined ? {} : { min }),
            ...(max === undefined ? {} : { max }),
            compiledCEL: [
              ...(min === undefined ? [] : [`${text} >= ${min}`]),
              ...(max === undefined ? [] : [`${text} <= ${max}`]),
            ].join(" && "),
          };
          yield { fingerprint, passed: false, evidence };
        }
      }
    },
  };
}
