import { findBankAccountKey, unknownBankAccount } from "./store.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import {
  connectorNotFound,
  isInstalled,
  requireInstalled,
} from "#modules/payments/installs/installed.ts";
import { planJob, withJobs } from "#modules/payments/jobs/store.ts";
import { findTask, isTaskRefused, openTask, taskChange } from "#modules/payments/tasks/store.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import { assertArmed } from "#platform/arming/held-work.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Begins to create an account for a bank account at a connector. Returns the task, which is the same for each call: work
 * that is under way or done is not begun again. Throws `NOT_FOUND`, and
 * `DISARMED` while the connector is disarmed.
 */
export async function forwardBankAccount(
  context: ServiceContext,
  {
    bankAccountId,
    connectorId,
  }: { readonly bankAccountId: string; readonly connectorId: ConnectorId },
): Promise<Task> {
  if ((await findBankAccountKey(context, bankAccountId)) === undefined) throw unknownBankAccount();
  const connector = await requireInstalled(context, connectorId);
  const id = TASK_IDS.createBankAccount(connectorId, bankAccountId);
  const stored = await findTask(context, id);
  const { task, isNew } = openTask(stored, { id, connectorKey: connector.key }, context);
  if (!isNew) return task;
  await assertArmed(context, connectorId.reference);
  const { statement, event } = taskChange(context, task, isInstalled(connector));
  try {
    await withJobs(context, () =>
      Outbox.from(context).publish({
        change: [
          statement,
          planJob(context, {
            name: id.reference,
            job: { kind: "forward-bank-account", bankAccountId, connector: connectorId },
            connectorKey: connector.key,
            isAnew: true,
          }),
        ],
        events: [event],
        audit: new AuditedChange(context, {
          action: "payments.bank-account.forward",
          object: `bank-accounts/${bankAccountId}/connectors/${connectorId.reference}`,
        }),
      }),
    );
  } catch (error) {
    if (isTaskRefused(error)) throw connectorNotFound();
    throw error;
  }
  return task;
}
