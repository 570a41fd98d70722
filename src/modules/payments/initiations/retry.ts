import { prepareSend } from "./send.ts";
import { retryOnConflict, getInitiation } from "./store.ts";
import { watchInitiations } from "./watch.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { assertArmed } from "#platform/arming/held-work.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Sends a failed initiation again, with the same reference, so that a provider that has moved the money does not move it
 * twice. Returns the id of the new task. Throws `NOT_FOUND`, `VALIDATION` for an initiation that has not failed,
 * and `DISARMED` while the connector is disarmed.
 */
export function retryInitiation(context: ServiceContext, id: OwnedId): Promise<OwnedId> {
  return retryOnConflict(async () => {
    const initiation = await getInitiation(context, id);
    await assertArmed(context, id.connector.reference);
    const { statements, events, task } = prepareSend(context, {
      initiation,
      kind: "retry",
      metadata: { retriedBy: context.principal.subject },
    });
    await watchInitiations(context);
    await Outbox.from(context).publish({
      change: statements,
      events,
      audit: new AuditedChange(context, {
        action: "payments.payment-initiation.retry",
        object: `payment-initiations/${encodeOwnedId(id)}`,
      }),
    });
    return task;
  });
}
