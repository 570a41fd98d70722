import { boundLedgers, may } from "#console/api/florin.ts";
import { allowsLedger } from "#console/api/ledger-patterns.ts";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { isMe } from "#console/places/reconciliation/lines/author.tsx";
import type { BreakCorrection } from "#console/places/reconciliation/queries/breaks.ts";

/** Whether somebody else than the person who looks has to confirm a correction that waits: the person has asked for it. */
export const mustBeOther = ({ requestedBy }: Pick<BreakCorrection, "requestedBy">): boolean =>
  isMe(requestedBy);

/** Whether the person who looks may confirm a correction that waits, which is booked by that. */
export function mayDecide(
  correction: Pick<BreakCorrection, "state" | "requestedBy" | "ledger">,
): boolean {
  const bound = boundLedgers();
  return (
    correction.state === "waiting" &&
    !mustBeOther(correction) &&
    mayWrite() &&
    may("ledger:write") &&
    (bound.length === 0 || allowsLedger(bound, correction.ledger))
  );
}
