import * as z from "zod";
import { ANY_ASSET, balanceText, signedText, withinText } from "./expressions.ts";
import { ledgerSource, poolSource, QueryField, Sign, Tolerances } from "./fields.ts";
import { balanceIn, fingerprintOf, type Reading, type Template, WHOLE } from "./template.ts";
import { absolute, assetsOf } from "#modules/reconciliation/core/balances.ts";
import { quoteJson } from "#platform/json.ts";

export const DriftSpec = z.strictObject({
  ledger: z.string(),
  ledgerQuery: QueryField,
  paymentsPoolID: z.string(),
  ledgerSign: Sign.optional(),
  tolerance: Tolerances.optional(),
});

/** Accounts of a ledger against a pool: the signed sum of both balances stays within the tolerance, asset by asset. */
export function driftTemplate(spec: z.output<typeof DriftSpec>): Template {
  const { ledgerSign: sign = 1n, tolerance: tolerances = {} } = spec;
  const ledger = ledgerSource(
    { ledger: spec.ledger, query: spec.ledgerQuery },
    { ledger: "ledger", query: "ledgerQuery" },
  );
  const pool = poolSource(spec.paymentsPoolID, "paymentsPoolID");
  const sumText = (asset: string): string =>
    `${signedText(sign, balanceText(ledger, asset))} + ${balanceText(pool, asset)}`;
  return {
    sources: [ledger, pool],
    isPerAccount: false,
    explanation: withinText(sumText(ANY_ASSET), `tolerance(${quoteJson(ANY_ASSET)})`),
    *outcomes([ofLedger, ofPool]: readonly Reading[]) {
      for (const asset of assetsOf(ofLedger?.get(WHOLE) ?? {}, ofPool?.get(WHOLE) ?? {})) {
        const raw = balanceIn(ofLedger, WHOLE, asset);
        const signed = sign * raw;
        const held = balanceIn(ofPool, WHOLE, asset);
        const drift = signed + held;
        const tolerance = tolerances[asset] ?? 0n;
        const fingerprint = fingerprintOf(asset, WHOLE);
        if (absolute(drift) <= tolerance) {
          const proof = {
            ledger: String(raw),
            ledgerSign: String(sign),
            pool: String(held),
            tolerance: String(tolerance),
          };
          yield { fingerprint, passed: true, proof };
          continue;
        }
        const evidence = {
          asset,
          ledgerBalanceRaw: String(raw),
          ledgerBalance: String(signed),
          ledgerSign: sign,
          poolBalance: String(held),
          drift: String(absolute(drift)),
          signedDrift: String(drift),
          tolerance,
          compiledCEL: withinText(sumText(asset), tolerance),
        };
        yield { fingerprint, passed: false, evidence };
      }
    },
  };
}
