import type { Initiation, Person } from "./initiation.ts";
import { prepareSend } from "./send.ts";
import { decideAnew, getInitiation } from "./store.ts";
import { watchInitiations } from "./watch.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { decideInitiation } from "#modules/payments/core/initiation-machine.ts";
import { paymentSettings } from "#modules/payments/settings.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Approves an initiation, so that its money is sent at its time. Returns the id of its task. Throws `NOT_FOUND`, and
 * `VALIDATION` for one that does not wait, or that the same principal has created where two are needed.
 */
export function approveInitiation(context: ServiceContext, id: OwnedId): Promise<OwnedId> {
  return decideAnew(async () => {
    const initiation = await getInitiation(context, id);
    assertWaiting(initiation);
    assertSecondPerson(context, initiation.creator, "approve");
    const { statements, events, task } = prepareSend(context, {
      initiation,
      kind: "approve",
      metadata: approvedBy(context),
    });
    await watchInitiations(context);
    await Outbox.from(context).publish({
      change: statements,
      events,
      audit: new AuditedChange(context, {
        action: "payments.payment-initiation.approve",
        object: `payment-initiations/${encodeOwnedId(id)}`,
      }),
    });
    return task;
  });
}

/** Whoever may not approve it learns first that there is nothing to approve. */
function assertWaiting({ state }: Initiation): void {
  const decision = decideInitiation(state, { kind: "approve", isLater: false });
  if (decision.kind === "refused") throw new AppError("VALIDATION", decision.reason);
}

/** What the adjustment says of who has approved. */
export const approvedBy = ({ principal }: ServiceContext) => ({ approvedBy: principal.subject });

/** What a principal does with an initiation that its creator may not do alone, in the words of the refusal. */
const DECISIONS = { approve: "approved", reverse: "reversed" } as const;

/**
 * Throws `VALIDATION` where the principal has created the initiation and two are needed for the decision. Issuers are not compared:
 * one deployment may have several names in tokens, by which nobody shall become two people.
 */
export function assertSecondPerson(
  { env, principal }: ServiceContext,
  creator: Person,
  decision: keyof typeof DECISIONS,
): void {
  if (!paymentSettings.of(env).FLORIN_PAYMENTS_FOUR_EYES) return;
  if (principal.subject !== creator.subject) return;
  throw new AppError(
    "VALIDATION",
    `a payment initiation is ${DECISIONS[decision]} by somebody else than the one who has created it, because FLORIN_PAYMENTS_FOUR_EYES is set`,
  );
}
