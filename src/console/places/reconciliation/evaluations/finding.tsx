import type { ReactNode } from "react";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Money } from "#console/parts/money/money.tsx";
import { comparisonsOf } from "#console/places/reconciliation/checks/outcomes.ts";
import type { Evaluation } from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** What a run has found, in a line: the first failing check and how many there are, or the error. */
export function findingOf(evaluation: Evaluation): ReactNode {
  const words = reconciliationWords().evaluationPage;
  const { error } = evaluation;
  if (error !== undefined) return <Foreign>{error}</Foreign>;
  const { listed, others, unchanged } = comparisonsOf(evaluation);
  const failing = listed.filter(({ passed }) => !passed);
  const [first] = failing;
  if (first === undefined) {
    const count = BigInt(listed.length) + BigInt(others ?? 0);
    return count === 0n ? words.noChecks : words.passingCount(formatCount(count));
  }
  const count = BigInt(failing.length) + BigInt(unchanged ?? 0);
  const amount = first.difference ?? first.sides[0]?.amount;
  return (
    <>
      <Foreign>{first.account ?? first.asset}</Foreign>{" "}
      {amount !== undefined && <Money amount={amount} asset={first.asset} />}
      {count > 1n && ` ${words.andMore(formatCount(count - 1n))}`}
    </>
  );
}
