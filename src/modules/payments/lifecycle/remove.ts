import { eq, sql } from "drizzle-orm";
import { beingRemoved } from "./update.ts";
import { assertReachesBookings } from "#modules/payments/bookings/reach.ts";
import { paymentBookings } from "#modules/payments/bookings/tables.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import { readConfig } from "#modules/payments/installs/config.ts";
import {
  reconcilerOf,
  requestLimits,
  withReference,
} from "#modules/payments/installs/reconciler.ts";
import {
  getConnector,
  type InstalledConnector,
  unknownConnector,
} from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { findTask, isTaskRefused, openTask, taskChange } from "#modules/payments/tasks/store.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { newId } from "#platform/ids.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";

/**
 * Begins to uninstall a connector; its object does the rest. Returns the task, which is the same for each call. Throws
 * `NOT_FOUND`.
 */
export async function uninstallConnector(context: ServiceContext, id: ConnectorId): Promise<Task> {
  const connector = await getRemovable(context, id);
  return beginRemoval(context, connector, { verb: "uninstall" });
}

/**
 * Begins to reset a connector: everything that was stored for it is deleted, and an installation with a new id and the same
 * name and configuration replaces it. Returns the task. Throws `NOT_FOUND`, or `VALIDATION` for a connector that is being
 * uninstalled.
 */
export async function resetConnector(context: ServiceContext, id: ConnectorId): Promise<Task> {
  const connector = await getRemovable(context, id);
  if (connector.deletedAt !== undefined && connector.successor === undefined) {
    throw beingRemoved();
  }
  // A configuration that cannot be read refuses the reset, because the connector could not be installed again.
  await readConfig(context, connector);
  return beginRemoval(context, connector, { verb: "reset", successor: newId() });
}

/**
 * The connector with an id. Throws `UNAUTHENTICATED` if one of its bookings, which end with it, is in a ledger that the
 * principal may not change.
 */
async function getRemovable(context: ServiceContext, id: ConnectorId): Promise<InstalledConnector> {
  const connector = await getConnector(context, id);
  await assertReachesBookings(context, eq(paymentBookings.connectorKey, connector.key));
  return connector;
}

/** Marks the connector as deleted, so that nothing is stored for it any more, and opens the task. */
async function beginRemoval(
  context: ServiceContext,
  { key, id }: InstalledConnector,
  { verb, successor }: { readonly verb: "uninstall" | "reset"; readonly successor?: string },
): Promise<Task> {
  const { env, clock } = context;
  const taskId = TASK_IDS[verb](id);
  const { task, isNew } = openTask(await findTask(context, taskId), { id: taskId }, context);
  const reconciler = reconcilerOf(env);
  const now = clock();
  const isThere = sql`EXISTS (SELECT 1 FROM payment_connectors WHERE key = ${key})`;
  const { statement, event } = taskChange(context, task, isThere);
  const mark = databaseOf(env)
    .update(paymentConnectors)
    .set({
      deletedAt: sql`coalesce(deleted_at, ${now})`,
      successor: sql`CASE WHEN deleted_at IS NULL THEN ${successor ?? null} ELSE successor END`,
      // A removal under way sees the new revision and reads again which tasks it has to end.
      ...nextRevision(now),
    })
    .where(eq(paymentConnectors.key, key));
  const audit = new AuditedChange(context, {
    action: `payments.connector.${verb}`,
    object: `connectors/${id.reference}`,
  });
  try {
    if (isNew) {
      await reconciler.change(() =>
        Outbox.from(context).publish({ change: [mark, statement], events: [event], audit }),
      );
    }
  } catch (error) {
    // The removal of the connector has ended meanwhile.
    if (isTaskRefused(error)) throw unknownConnector();
    throw error;
  }
  await reconciler.settle({ ...requestLimits(), scope: withReference(id.reference) });
  return task;
}
