import { and, eq, sql } from "drizzle-orm";
import { isConnection } from "./connection-store.ts";
import { getLinkedUser, getUserOfProvider, openUsers } from "./provider-user.ts";
import { getUserKey } from "./store.ts";
import {
  paymentForwardedUsers,
  paymentLinkAttempts,
  paymentUserConnections,
  paymentUsers,
} from "./tables.ts";
import { paymentBankAccounts } from "#modules/payments/bank-accounts/tables.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import { findConnector, type InstalledConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { JobOf } from "#modules/payments/jobs/job.ts";
import { runTask } from "#modules/payments/jobs/run-task.ts";
import { endTask, findTask, taskChange } from "#modules/payments/tasks/store.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { Outbox } from "#platform/events/outbox.ts";

export async function runConnectionDeletion(
  context: ServiceContext,
  { userId, connector: connectorId, connectionId }: JobOf<"delete-user-connection">,
): Promise<void> {
  const id = TASK_IDS.deleteUserConnection(connectorId, { userId, connectionId });
  const connector = await findConnector(context, connectorId);
  if (connector === undefined) return;
  await whileProcessing(context, id, async (task) => {
    const named = { userId, connectionId, connector };
    const { userKey, ...linked } = await getLinkedUser(context, named);
    const users = await openUsers(context, connector);
    await users.deleteConnection(linked);
    const { statement, event } = taskChange(context, succeeded(context, task, userId));
    await Outbox.from(context).publish({
      isVital: true,
      change: [
        databaseOf(context.env)
          .delete(paymentUserConnections)
          .where(isConnection({ userKey, connector, connectionId })),
        statement,
      ],
      events: [event],
    });
  });
}

/** Deletes a user at the provider of a connector, and then the rows that the connector has for the user. */
export async function runDeletionFromConnector(
  context: ServiceContext,
  { userId, connector: connectorId }: JobOf<"delete-user-from-connector">,
): Promise<void> {
  const id = TASK_IDS.deleteUserFromConnector(connectorId, userId);
  const connector = await findConnector(context, connectorId);
  if (connector === undefined) return;
  await whileProcessing(context, id, async (task) => {
    const userKey = await deleteAtProvider(context, { userId, connector });
    const { statement, event } = taskChange(context, succeeded(context, task, userId));
    await Outbox.from(context).publish({
      isVital: true,
      change: [...deletions(databaseOf(context.env), { userKey, connector }), statement],
      events: [event],
    });
  });
}

/**
 * Deletes a user at all connectors, and then here. If a connector gets the user meanwhile, the job is repeated and deletes
 * the user there, too.
 */
export async function runUserDeletion(
  context: ServiceContext,
  { userId }: JobOf<"delete-user">,
): Promise<void> {
  const db = databaseOf(context.env);
  await whileProcessing(context, TASK_IDS.deleteUser(userId), async (task) => {
    const key = await getUserKey(context, userId);
    for (const connector of await connectorsOf(context, key)) {
      await deleteAtProvider(context, { userId, connector });
      const [first, ...others] = deletions(db, { userKey: key, connector });
      await storeWithReserve(db, [first, ...others]);
    }
    const isNowhere = sql`NOT EXISTS (
      SELECT 1 FROM ${paymentForwardedUsers} AS f WHERE f.user_key = ${key})`;
    // If the condition does not hold, the batch fails, and the job is repeated.
    const end = succeeded(context, task, userId);
    const { statement, event } = taskChange(context, end, isNowhere);
    await Outbox.from(context).publish({
      isVital: true,
      change: [
        statement,
        db.delete(paymentUsers).where(eq(paymentUsers.key, key)),
        db
          .update(paymentBankAccounts)
          .set({ psuId: null })
          .where(eq(paymentBankAccounts.psuId, userId)),
      ],
      events: [event],
    });
  });
}

/** Does the work of a task, unless the task has ended. */
async function whileProcessing(
  context: ServiceContext,
  id: OwnedId,
  work: (task: Task) => Promise<void>,
): Promise<void> {
  const task = await findTask(context, id);
  if (task?.status === "PROCESSING") await runTask(context, task, () => work(task));
}

/** The task after its success, with the user as created object. */
const succeeded = (context: ServiceContext, task: Task, userId: string): Task =>
  endTask(task, { createdObjectId: userId }, context);

interface UserAt {
  readonly userKey: number;
  readonly connector: InstalledConnector;
}

/** Deletes a user at a provider. Returns the key of the user. */
async function deleteAtProvider(
  context: ServiceContext,
  { userId, connector }: { readonly userId: string; readonly connector: InstalledConnector },
): Promise<number> {
  const { userKey, ...user } = await getUserOfProvider(context, { userId, connector });
  await (await openUsers(context, connector)).deleteUser(user);
  return userKey;
}

/** The statements that delete the rows that a connector has for a user. */
const deletions = (db: Database, { userKey, connector }: UserAt) =>
  [
    db
      .delete(paymentForwardedUsers)
      .where(
        and(
          eq(paymentForwardedUsers.userKey, userKey),
          eq(paymentForwardedUsers.connectorKey, connector.key),
        ),
      ),
    db
      .delete(paymentUserConnections)
      .where(
        and(
          eq(paymentUserConnections.userKey, userKey),
          eq(paymentUserConnections.connectorKey, connector.key),
        ),
      ),
    db
      .delete(paymentLinkAttempts)
      .where(
        and(
          eq(paymentLinkAttempts.userKey, userKey),
          eq(paymentLinkAttempts.connectorKey, connector.key),
        ),
      ),
  ] as const;

/** The connectors that have a user. */
async function connectorsOf(
  context: ServiceContext,
  userKey: number,
): Promise<InstalledConnector[]> {
  const rows = await databaseOf(context.env)
    .select({ provider: paymentConnectors.provider, reference: paymentConnectors.reference })
    .from(paymentForwardedUsers)
    .innerJoin(paymentConnectors, eq(paymentConnectors.key, paymentForwardedUsers.connectorKey))
    .where(eq(paymentForwardedUsers.userKey, userKey));
  const connectors = await Promise.all(rows.map((id) => findConnector(context, id)));
  return connectors.filter((connector) => connector !== undefined);
}
