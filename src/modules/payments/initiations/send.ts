import type { BatchItem } from "drizzle-orm/batch";
import type { Initiation } from "./initiation.ts";
import { insertMovement, UNTIL_DECIDED } from "./movement-rows.ts";
import { prepareTransition, type TransitionKey } from "./transition.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import { openTask, taskChange } from "#modules/payments/tasks/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { formatTimestamp } from "#platform/time.ts";

/**
 * The statements and events that send an initiation, and the id of the task that clients follow: they add an adjustment, a
 * movement and the task.
 */
export interface PreparedSend {
  readonly statements: BatchItem<"sqlite">[];
  readonly events: OutboxEvent[];
  readonly task: OwnedId;
}

interface Send extends TransitionKey {
  readonly initiation: Initiation;
  readonly kind: "approve" | "retry";
  readonly metadata: ObjectMetadata;
  /** Whether the provider has made the payment already, or may have: the movement then waits until this is settled. */
  readonly isHeld?: boolean;
}

/** Prepares to send an initiation. Throws `VALIDATION` for an initiation that may not be sent. */
export function prepareSend(
  context: ServiceContext,
  { initiation, kind, metadata, isHeld = false, ...others }: Send,
): PreparedSend {
  const now = context.clock();
  const { scheduledAt } = initiation;
  const laterAt = scheduledAt !== undefined && scheduledAt > now ? scheduledAt : undefined;
  const isLater = kind === "approve" && laterAt !== undefined && !isHeld;
  const transition = prepareTransition(context, {
    initiation,
    trigger: kind === "approve" ? { kind, isLater } : { kind },
    metadata: isLater ? { ...metadata, scheduledAt: formatTimestamp(laterAt) } : metadata,
    isAttempt: true,
    ...others,
  });
  const { id: initiationId, type, attempts } = transition.initiation;
  const id = TASK_IDS.createMovement(type, { initiation: initiationId, attempt: attempts });
  const { task } = openTask(undefined, { id, connectorKey: initiation.connectorKey }, context);
  const change = taskChange(context, task);
  const dueAt = isHeld ? UNTIL_DECIDED : isLater ? laterAt : now;
  return {
    statements: [
      ...transition.statements,
      insertMovement(context, { initiation, task: id.reference, dueAt, ...others }),
      change.statement,
    ],
    events: [...transition.events, change.event],
    task: id,
  };
}
