import { getUser } from "./store.ts";
import { addBankAccountMetadata } from "#modules/payments/bank-accounts/add-metadata.ts";
import { forwardBankAccount } from "#modules/payments/bank-accounts/forward.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { toOwnerMetadata } from "#modules/payments/core/owners/owner-metadata.ts";
import { requireInstalled } from "#modules/payments/installs/installed.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import { assertArmed } from "#platform/arming/held-work.ts";
import type { ServiceContext } from "#platform/context.ts";

/** Forwards a bank account with a user's details as its owner. Returns the task. Throws `NOT_FOUND`. */
export async function forwardBankAccountOfUser(
  context: ServiceContext,
  {
    userId,
    ...forward
  }: {
    readonly userId: string;
    readonly bankAccountId: string;
    readonly connectorId: ConnectorId;
  },
): Promise<Task> {
  const { address, contactDetails } = await getUser(context, userId);
  await requireInstalled(context, forward.connectorId);
  await assertArmed(context, forward.connectorId.reference);
  const metadata = toOwnerMetadata({ ...address, ...contactDetails });
  if (Object.keys(metadata).length > 0) {
    await addBankAccountMetadata(context, { id: forward.bankAccountId, metadata });
  }
  return forwardBankAccount(context, forward);
}
