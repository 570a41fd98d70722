import { getUserKey } from "./store.ts";
import { type ConnectorId, encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import { isInstalled } from "#modules/payments/installs/installed.ts";
import { type InstalledConnector, requireConnector } from "#modules/payments/installs/store.ts";
import type { Job } from "#modules/payments/jobs/job.ts";
import { planJob, withJobs } from "#modules/payments/jobs/store.ts";
import { findTask, isTaskRefused, openTask, taskChange } from "#modules/payments/tasks/store.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Begins to delete a user at all connectors, and then here. Returns the task, which is the same for each call. Throws
 * `NOT_FOUND`.
 */
export async function deleteUser(context: ServiceContext, userId: string): Promise<Task> {
  await getUserKey(context, userId);
  return beginDeletion(context, {
    id: TASK_IDS.deleteUser(userId),
    job: { kind: "delete-user", userId },
    object: `payment-service-users/${userId}`,
  });
}

/**
 * Begins to delete a user at one connector. For an unknown user, the task fails. Throws `VALIDATION` for an unknown
 * connector.
 */
export async function deleteUserFromConnector(
  context: ServiceContext,
  { userId, connectorId }: { readonly userId: string; readonly connectorId: ConnectorId },
): Promise<Task> {
  const connector = await requireConnector(context, connectorId);
  return beginDeletion(context, {
    id: TASK_IDS.deleteUserFromConnector(connectorId, userId),
    connector,
    job: { kind: "delete-user-from-connector", userId, connector: connectorId },
    object: `payment-service-users/${userId}/connectors/${connectorId.reference}`,
  });
}

/**
 * Begins to delete a connection of a user. For an unknown user or connection, the task fails. Throws `VALIDATION` for an
 * unknown connector.
 */
export async function deleteConnection(
  context: ServiceContext,
  {
    userId,
    connectorId,
    connectionId,
  }: {
    readonly userId: string;
    readonly connectorId: ConnectorId;
    readonly connectionId: string;
  },
): Promise<Task> {
  const connector = await requireConnector(context, connectorId);
  return beginDeletion(context, {
    id: TASK_IDS.deleteUserConnection(connectorId, { userId, connectionId }),
    connector,
    job: { kind: "delete-user-connection", userId, connector: connectorId, connectionId },
    object: `payment-service-users/${userId}/connectors/${connectorId.reference}/connections/${connectionId}`,
  });
}

interface Deletion {
  readonly id: OwnedId;
  readonly connector?: InstalledConnector;
  readonly job: Job;
  /** The name of the deleted object in the audit. */
  readonly object: string;
}

async function beginDeletion(
  context: ServiceContext,
  { id, connector, job, object }: Deletion,
): Promise<Task> {
  const owner = connector === undefined ? {} : { connectorKey: connector.key };
  const { task, isNew } = openTask(await findTask(context, id), { id, ...owner }, context);
  if (!isNew) return task;
  const { statement, event } = taskChange(
    context,
    task,
    connector === undefined ? undefined : isInstalled(connector),
  );
  try {
    await withJobs(context, () =>
      Outbox.from(context).publish({
        change: [
          statement,
          planJob(context, { name: encodeOwnedId(id), job, isAnew: true, ...owner }),
        ],
        events: [event],
        audit: new AuditedChange(context, {
          action: "payments.payment-service-user.delete",
          object,
        }),
      }),
    );
  } catch (error) {
    if (isTaskRefused(error)) throw new AppError("VALIDATION", "connector_id: value not found");
    throw error;
  }
  return task;
}
