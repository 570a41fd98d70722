import { retryOnConflict, getInitiation } from "./store.ts";
import { prepareTransition } from "./transition.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Rejects an initiation that waits for its approval. Throws `NOT_FOUND`, and `VALIDATION` for an initiation that is not
 * waiting.
 */
export function rejectInitiation(context: ServiceContext, id: OwnedId): Promise<void> {
  return retryOnConflict(async () => {
    const initiation = await getInitiation(context, id);
    const { statements, events } = prepareTransition(context, {
      initiation,
      trigger: { kind: "reject" },
      metadata: { rejectedBy: context.principal.subject },
    });
    await Outbox.from(context).publish({
      change: statements,
      events,
      audit: new AuditedChange(context, {
        action: "payments.payment-initiation.reject",
        object: `payment-initiations/${encodeOwnedId(id)}`,
      }),
    });
  });
}
