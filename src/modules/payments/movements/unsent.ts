import { causedBy, type MovementEnd, prepareOutcome } from "./outcome.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { encodePaymentId } from "#modules/payments/core/ids.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import { relatedPaymentEvent } from "#modules/payments/initiations/event-types.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { settleReviews } from "#modules/payments/lookups/review-rows.ts";
import { endTask, openTask, taskChange } from "#modules/payments/tasks/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { Outbox } from "#platform/events/outbox.ts";

/** The payment of an initiation that has no movement here: it waits for its approval, or has failed. */
export interface UnsentEnd extends Omit<MovementEnd, "execution"> {
  readonly initiation: Initiation;
  /** The metadata of the adjustment that approves the initiation, or retries it. */
  readonly metadata: ObjectMetadata;
}

/**
 * Stores in one batch that the original of a restored copy has approved or retried an initiation, and what the provider has made of it:
 *
 *     waits, or has failed ── approved or retried ── paid: the task has ended, no movement was stored, its open review is settled
 *
 * No crash leaves the initiation approved without its payment, because nobody here has approved it. The batch fails if the initiation has
 * changed since it was read, or if the condition does not hold.
 */
export async function publishUnsent(context: ServiceContext, end: UnsentEnd): Promise<void> {
  const { initiation, metadata, made, page, condition, also = { statements: [] } } = end;
  const { id, type, connectorKey, attempts } = initiation;
  const isRetry = initiation.state.status === "FAILED";
  const change = await prepareOutcome(context, {
    initiation,
    made,
    page,
    begun: [
      {
        trigger: isRetry ? { kind: "retry" } : { kind: "approve", isLater: false },
        metadata,
        isAttempt: true,
      },
    ],
  });
  const taskId = TASK_IDS.createMovement(type, { initiation: id, attempt: attempts + 1 });
  const opened = openTask(undefined, { id: taskId, connectorKey }, context).task;
  const ended = endTask(opened, { createdObjectId: encodePaymentId(made.id) }, context);
  const task = taskChange(context, ended, condition);
  await Outbox.from(context).publish({
    ...(also.audit === undefined ? {} : { audit: also.audit }),
    change: [
      ...also.statements,
      task.statement,
      ...page.statements,
      ...causedBy(initiation, made.id, context),
      ...change.statements,
      settleReviews(context, { initiationKey: initiation.key }),
    ],
    events: [
      ...page.events,
      ...(change.isRelated ? [] : [relatedPaymentEvent(initiation, made.id, context.clock())]),
      ...change.events,
      task.event,
    ],
  });
}
