import type { Initiation } from "./initiation.ts";
import { prepareSend } from "./send.ts";
import { retryOnConflict, getInitiation } from "./store.ts";
import { watchInitiations } from "./watch.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { getConnector } from "#modules/payments/installs/store.ts";
import { CANNOT_BE_ASKED, needsPerson } from "#modules/payments/lookups/askable.ts";
import { assertMayMove, assertNotInReview } from "#modules/payments/lookups/gate.ts";
import { insertReview } from "#modules/payments/lookups/review-rows.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Sends a failed initiation again, with the same reference, so that a provider that has moved the money does not move it
 * twice. Returns the id of the new task. Throws `NOT_FOUND`, `VALIDATION` for an initiation that has not failed,
 * `VALIDATION` for one that a person has to review first,
 * and `DISARMED` while the connector is disarmed or in its look-up.
 */
export function retryInitiation(context: ServiceContext, id: OwnedId): Promise<OwnedId> {
  return retryOnConflict(async () => {
    const initiation = await getInitiation(context, id);
    await assertMayMove(context, { connector: id.connector, initiationKey: initiation.key });
    await assertLookedUp(context, initiation);
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

/**
 * Throws `VALIDATION` for a failed initiation from before the deployment was restored, which the original may have paid by a provider that cannot
 * be asked: it was retried there, or a person has given it up here. Its review is stored with the first attempt to retry it.
 */
async function assertLookedUp(
  context: ServiceContext,
  { id, type, key, connectorKey, state, createdAt }: Initiation,
): Promise<void> {
  if (state.status !== "FAILED") return;
  const connector = await getConnector(context, id.connector);
  const order = { connector, type, knownAt: createdAt, initiationKey: key };
  if (!(await needsPerson(context, order))) return;
  await insertReview(context, {
    connectorKey,
    initiationKey: key,
    reversalKey: null,
    reason: CANNOT_BE_ASKED,
  });
  await assertNotInReview(context, key);
}
