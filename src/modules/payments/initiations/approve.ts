import type { Initiation, Person } from "./initiation.ts";
import { prepareSend } from "./send.ts";
import { retryOnConflict, getInitiation } from "./store.ts";
import { watchInitiations } from "./watch.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { decideInitiation } from "#modules/payments/core/initiation-machine.ts";
import { assertMayMove } from "#modules/payments/lookups/gate.ts";
import { paymentSettings } from "#modules/payments/settings.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Approves an initiation, whose money is then sent at its time. Returns the id of the task. Throws `NOT_FOUND`, and
 * `VALIDATION` for an initiation that is not waiting, or whose creator is the same principal although two people are
 * needed. Throws `DISARMED` while the connector is disarmed or in its look-up: an approval is not stored for a time when nobody remembers it.
 */
export function approveInitiation(context: ServiceContext, id: OwnedId): Promise<OwnedId> {
  return retryOnConflict(async () => {
    const initiation = await getInitiation(context, id);
    assertWaiting(initiation);
    assertSecondPerson(context, initiation.creator, "approve");
    await assertMayMove(context, { connector: id.connector, initiationKey: initiation.key });
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

/** Checked before the principal, so that an initiation which is not waiting says so to everybody. */
function assertWaiting({ state }: Initiation): void {
  const decision = decideInitiation(state, { kind: "approve", isLater: false });
  if (decision.kind === "refused") throw new AppError("VALIDATION", decision.reason);
}

/** The metadata of an adjustment, with the name of the principal who has approved. */
export const approvedBy = ({ principal }: ServiceContext) => ({ approvedBy: principal.subject });

/** Decisions that the creator of an initiation may not make alone, as the refusal words them. */
const DECISIONS = { approve: "approved", reverse: "reversed", review: "reviewed" } as const;

/**
 * Throws `VALIDATION` if the principal has created the initiation and the decision needs a second person. Issuers are not
 * compared: tokens may name one deployment in several ways, and nobody may thereby count as two people.
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
