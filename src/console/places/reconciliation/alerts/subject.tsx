import type { ReactNode } from "react";
import { Address, Foreign } from "#console/parts/base/address.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { comparisonOf, subjectOf } from "#console/places/reconciliation/checks/outcomes.ts";
import type { RuleAlert } from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** What an alert is about, as a text: an asset, an asset of an account, or sources that could not be read. */
export function subjectText({ fingerprint }: Pick<RuleAlert, "fingerprint">): string {
  const words = reconciliationWords().alerts;
  const subject = subjectOf(fingerprint);
  if (subject === undefined) return isEngineError({ fingerprint }) ? words.engine : fingerprint;
  const { asset, account } = subject;
  return account === undefined ? asset : words.of(asset, account);
}

const ENGINE_ERROR = "engine.error";

/** Whether an alert is about sources that could not be read. */
export const isEngineError = ({ fingerprint }: Pick<RuleAlert, "fingerprint">): boolean =>
  fingerprint === ENGINE_ERROR;

/** What an alert is about: the account stands before its asset. */
export function AlertSubject({
  alert,
}: {
  readonly alert: Pick<RuleAlert, "fingerprint">;
}): ReactNode {
  const subject = subjectOf(alert.fingerprint);
  if (subject === undefined) return <Foreign>{subjectText(alert)}</Foreign>;
  const { asset, account } = subject;
  if (account === undefined) return <Foreign>{asset}</Foreign>;
  return (
    <span className="inline-flex max-w-full items-baseline gap-2">
      <Address address={account} />
      <span className="shrink-0 text-muted">{asset}</span>
    </span>
  );
}

/** How far both sides are apart, or the balance that is out of its bounds; nothing for an alert without numbers. */
export function AlertAmount({ alert }: { readonly alert: RuleAlert }): ReactNode {
  const { difference, sides, asset } = comparisonOf(alert.fingerprint, false, alert.evidence ?? {});
  const amount = difference ?? sides[0]?.amount;
  return amount === undefined ? null : <Money amount={amount} asset={asset} />;
}
