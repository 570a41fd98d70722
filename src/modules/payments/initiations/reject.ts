import type { Initiation } from "./initiation.ts";
import { deleteMovement, findWithdrawable, type Withdrawable } from "./movement-rows.ts";
import { retryOnConflict, getInitiation } from "./store.ts";
import { type PreparedTransition, prepareTransition } from "./transition.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { assertNotInReview } from "#modules/payments/lookups/gate.ts";
import { endTask, getTask, taskChange } from "#modules/payments/tasks/store.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Rejects an initiation that waits for its approval, or, while its connector is disarmed, one that was approved and whose provider was never
 * asked:
 *
 *     waits for approval ───────────────────────────────────────► REJECTED
 *     approved ── connector disarmed, first send, no call yet ──► REJECTED, its movement is deleted, its task has failed
 *         └────── otherwise ────────────────────────────────────► refused
 *
 * Throws `NOT_FOUND`, and `VALIDATION` for an initiation that is refused.
 */
export function rejectInitiation(context: ServiceContext, id: OwnedId): Promise<void> {
  return retryOnConflict(async () => {
    const initiation = await getInitiation(context, id);
    await assertNotInReview(context, initiation.key);
    const { statements, events } = await prepareRejection(context, initiation);
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

async function prepareRejection(
  context: ServiceContext,
  initiation: Initiation,
): Promise<Pick<PreparedTransition, "statements" | "events">> {
  // After a failed attempt the provider may have moved the money all the same, so that only the first one is withdrawn.
  const found = initiation.attempts === 1 ? await findWithdrawable(context, initiation) : undefined;
  const metadata = { rejectedBy: context.principal.subject };
  if (found !== undefined) return withdraw(context, { initiation, ...found, metadata });
  return prepareTransition(context, { initiation, trigger: { kind: "reject" }, metadata });
}

interface Withdrawal extends Withdrawable {
  readonly initiation: Initiation;
  readonly metadata: { readonly rejectedBy: string };
}

/** The batch fails if the movement was claimed meanwhile, or its connector armed. */
async function withdraw(
  context: ServiceContext,
  { initiation, movement, condition, metadata }: Withdrawal,
): Promise<Pick<PreparedTransition, "statements" | "events">> {
  const { connector } = initiation.id;
  const stored = await getTask(context, { connector, reference: movement.task });
  const ended = endTask(stored, { error: "rejected before it was sent" }, context);
  const task = taskChange(context, ended, condition);
  const change = prepareTransition(context, {
    initiation,
    trigger: { kind: "withdraw" },
    metadata,
  });
  return {
    statements: [task.statement, ...change.statements, deleteMovement(context, movement)],
    events: [...change.events, task.event],
  };
}
