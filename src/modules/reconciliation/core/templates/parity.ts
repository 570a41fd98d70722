import * as z from "zod";
import { ANY_ASSET, balanceText, withinText } from "./expressions.ts";
import { ledgerSource, poolSource, QueryField, Tolerances } from "./fields.ts";
import {
  balanceIn,
  fingerprintOf,
  labelOf,
  type Reading,
  type BalanceSource,
  type Template,
  WHOLE,
} from "./template.ts";
import { absolute, assetsOf } from "#modules/reconciliation/core/balances.ts";
import { invalid } from "#modules/reconciliation/core/fields.ts";
import { quoteJson } from "#platform/json.ts";

const Side = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ledger"), ledger: z.string(), query: QueryField }),
  z.strictObject({ kind: z.literal("payments_pool"), poolID: z.string() }),
]);

export const ParitySpec = z.strictObject({
  left: Side,
  right: Side,
  scope: z.enum(["aggregate", "per_account"]).nullish(),
  tolerance: Tolerances.optional(),
});

/** Two sources whose balances differ by at most the tolerance, asset by asset, together or account by account. */
export function parityTemplate(spec: z.output<typeof ParitySpec>): Template {
  const { tolerance: tolerances = {} } = spec;
  const left = toSource(spec.left, "left");
  const right = toSource(spec.right, "right");
  const isPerAccount = spec.scope === "per_account";
  if (isPerAccount && (left.kind !== "ledger" || right.kind !== "ledger")) {
    throw invalid("the scope per_account takes two sources of the kind ledger");
  }
  const differenceText = (asset: string, account = WHOLE): string =>
    `${balanceText(left, asset, account)} - ${balanceText(right, asset, account)}`;
  return {
    sources: [left, right],
    isPerAccount,
    explanation: withinText(differenceText(ANY_ASSET), `tolerance(${quoteJson(ANY_ASSET)})`),
    *outcomes([ofLeft, ofRight]: readonly Reading[]) {
      const accounts = isPerAccount
        ? [...new Set([...(ofLeft?.keys() ?? []), ...(ofRight?.keys() ?? [])])].toSorted()
        : [WHOLE];
      for (const account of accounts) {
        for (const asset of assetsOf(ofLeft?.get(account) ?? {}, ofRight?.get(account) ?? {})) {
          const [one, other] = [
            balanceIn(ofLeft, account, asset),
            balanceIn(ofRight, account, asset),
          ];
          const tolerance = tolerances[asset] ?? 0n;
          const difference = one - other;
          const fingerprint = fingerprintOf(asset, account);
          if (absolute(difference) <= tolerance) {
            const proof = { left: String(one), right: String(other), tolerance: String(tolerance) };
            yield { fingerprint, passed: true, proof };
            continue;
          }
          const evidence = {
            asset,
            ...(account === WHOLE ? {} : { account }),
            leftSource: labelOf(left),
            leftBalance: String(one),
            rightSource: labelOf(right),
            rightBalance: String(other),
            difference: String(absolute(difference)),
            signedDiff: String(difference),
            tolerance,
            compiledCEL: withinText(differenceText(asset, account), tolerance),
          };
          yield { fingerprint, passed: false, evidence };
        }
      }
    },
  };
}

const toSource = (side: z.output<typeof Side>, name: string): BalanceSource =>
  side.kind === "ledger"
    ? ledgerSource(side, { ledger: `${name}.ledger`, query: `${name}.query` })
    : poolSource(side.poolID, `${name}.poolID`);
