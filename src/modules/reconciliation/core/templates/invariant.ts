import * as z from "zod";
import { ANY_ASSET, balanceText, signedText, withinText } from "./expressions.ts";
import { ledgerSource, QueryField, Sign, TERMS_MAX, Tolerances } from "./fields.ts";
import { balanceIn, fingerprintOf, type Reading, type Template, WHOLE } from "./template.ts";
import { absolute } from "#modules/reconciliation/core/balances.ts";
import { quoteJson } from "#platform/json.ts";

export const InvariantSpec = z.strictObject({
  terms: z
    .array(z.strictObject({ ledger: z.string(), query: QueryField, sign: Sign }))
    .min(1, "expected at least one term")
    .max(TERMS_MAX, `expected at most ${TERMS_MAX} terms`),
  tolerance: Tolerances.refine(
    (tolerances) => Object.keys(tolerances).length > 0,
    "expected at least one asset",
  ),
});

/** A signed sum of account sets, possibly of several ledgers, that stays within the tolerance of each asset that has one. */
export function invariantTemplate({
  terms: given,
  tolerance: tolerances,
}: z.output<typeof InvariantSpec>): Template {
  const terms = given.map(({ sign, ...accounts }, index) => ({
    sign,
    source: ledgerSource(accounts, {
      ledger: `terms.${index}.ledger`,
      query: `terms.${index}.query`,
    }),
  }));
  const sumText = (asset: string): string =>
    terms.map(({ sign, source }) => signedText(sign, balanceText(source, asset))).join(" + ");
  return {
    sources: terms.map(({ source }) => source),
    isPerAccount: false,
    explanation: withinText(sumText(ANY_ASSET), `tolerance(${quoteJson(ANY_ASSET)})`),
    *outcomes(readings: readonly Reading[]) {
      for (const [asset, tolerance] of Object.entries(tolerances)) {
        const values = terms.map(
          ({ sign }, index) => sign * balanceIn(readings[index], WHOLE, asset),
        );
        const sumOf = (some: readonly bigint[]): bigint => some.reduce((sum, it) => sum + it, 0n);
        const sum = sumOf(values);
        const fingerprint = fingerprintOf(asset, WHOLE);
        if (absolute(sum) <= tolerance) {
          const proof = {
            positive: String(sumOf(values.filter((value) => value > 0n))),
            negative: String(sumOf(values.filter((value) => value < 0n))),
            tolerance: String(tolerance),
          };
          yield { fingerprint, passed: true, proof };
          continue;
        }
        const evidence = {
          asset,
          signedSum: String(sum),
          absDrift: String(absolute(sum)),
          tolerance,
          termValues: values.map(String),
          compiledCEL: withinText(sumText(asset), tolerance),
        };
        yield { fingerprint, passed: false, evidence };
      }
    },
  };
}
