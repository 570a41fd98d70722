import { and, eq, sql } from "drizzle-orm";
import { lastOwnedRows, removeOwnedRows, type RowsRemoval } from "./owned-rows.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import { openConfig, sealConfig } from "#modules/payments/installs/config.ts";
import { connectorResetEvent } from "#modules/payments/installs/event-types.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";
import { openPlugin } from "#modules/payments/installs/plugin.ts";
import {
  reconcilerOf,
  requestLimits,
  withReference,
} from "#modules/payments/installs/reconciler.ts";
import { connectorRow } from "#modules/payments/installs/rows.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { scheduleStatements } from "#modules/payments/schedules/schedule-rows.ts";
import { endTask, findTask, taskChange } from "#modules/payments/tasks/store.ts";
import { listWebhookConfigs } from "#modules/payments/webhooks/store.ts";
import { isHeld } from "#platform/arming/arming-watch.ts";
import { armedConnectors } from "#platform/arming/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { logError } from "#platform/log.ts";

/**
 * Continues the removal of an installation that is marked as deleted, until `untilMs`. Returns whether the removal is
 * complete. It may be cut off and repeated at any point: most rows are deleted in batches, and one final batch deletes the
 * rest and the installation itself, ends the tasks, and inserts the successor if the connector is being reset.
 */
export async function continueRemoval(
  context: ServiceContext,
  connector: InstalledConnector,
  { ownedRows, untilMs }: Omit<RowsRemoval, "connectorKey">,
): Promise<boolean> {
  const db = databaseOf(context.env);
  await removeFromProvider(context, connector);
  const { key: connectorKey, successor } = connector;
  if (!(await removeOwnedRows(db, { connectorKey, ownedRows, untilMs }))) return false;
  if (successor === undefined) {
    await endRemoval(context, connector, ownedRows);
    return true;
  }
  const reconciler = reconcilerOf(context.env);
  await reconciler.change(() => endRemoval(context, connector, ownedRows));
  await reconciler.settle({ ...requestLimits(), scope: withReference(successor) });
  return true;
}

/**
 * Lets the plugin remove everything that it has set up at the provider. A provider that refuses, for example because its
 * key was revoked, does not prevent the removal; a provider that does not answer is called again by the next alarm. While the deployment is disarmed,
 * the removal waits.
 */
async function removeFromProvider(
  context: ServiceContext,
  connector: InstalledConnector,
): Promise<void> {
  try {
    const plugin = await openPlugin(context, connector);
    const webhooks = await listWebhookConfigs(context, connector);
    await plugin.uninstall?.({ connectorId: encodeConnectorId(connector.id), webhooks });
  } catch (error) {
    if (isHeld(error)) throw error;
    if (error instanceof ConnectorError && error.kind !== "invalid") throw error;
    logError("a connector is uninstalled without its provider", error, {
      connector: connector.id.reference,
    });
  }
}

async function endRemoval(
  context: ServiceContext,
  connector: InstalledConnector,
  ownedRows: readonly OwnedRows[],
): Promise<void> {
  const db = databaseOf(context.env);
  const { key, id, successor } = connector;
  const next = successor === undefined ? undefined : { ...id, reference: successor };
  const isGone = sql`NOT EXISTS (SELECT 1 FROM payment_connectors WHERE key = ${key})`;
  const [before] = await db
    .select({ revision: paymentConnectors.revision })
    .from(paymentConnectors)
    .where(eq(paymentConnectors.key, key));
  const [uninstalled, reset] = await Promise.all([
    findTask(context, TASK_IDS.uninstall(id)),
    findTask(context, TASK_IDS.reset(id)),
  ]);
  const ended = [
    ...(uninstalled === undefined ? [] : [{ task: uninstalled, made: id }]),
    ...(reset === undefined || next === undefined ? [] : [{ task: reset, made: next }]),
  ].map(({ task, made }) =>
    taskChange(
      context,
      endTask(task, { createdObjectId: encodeConnectorId(made) }, context),
      isGone,
    ),
  );
  await Outbox.from(context).publish({
    isVital: true,
    change: [
      ...lastOwnedRows(db, { connectorKey: key, ownedRows }),
      // A connector that was armed by itself is no part of the deployment's state any more; its successor is not armed by that.
      db.delete(armedConnectors).where(eq(armedConnectors.reference, id.reference)),
      // A task that was added meanwhile has raised the revision. Then the row stays, the batch fails, and the next alarm
      // repeats it.
      db
        .delete(paymentConnectors)
        .where(
          and(
            eq(paymentConnectors.key, key),
            eq(paymentConnectors.revision, before?.revision ?? 0),
          ),
        ),
      ...(next === undefined ? [] : await successorStatements(context, connector, next.reference)),
      ...ended.map(({ statement }) => statement),
    ],
    events: [
      ...ended.map(({ event }) => event),
      ...(next === undefined ? [] : [connectorResetEvent(id, context.clock())]),
    ],
  });
}

/** The statements that install a reset connector under its new id. */
async function successorStatements(
  { env, clock }: ServiceContext,
  { key, id, name, pollingPeriodMs }: InstalledConnector,
  reference: string,
) {
  const db = databaseOf(env);
  const [row] = await db
    .select({ config: paymentConnectors.config, publicUrl: paymentConnectors.publicUrl })
    .from(paymentConnectors)
    .where(eq(paymentConnectors.key, key));
  const kind = kindOf(id.provider);
  if (row === undefined || kind === undefined) return [];
  const now = clock();
  const values = openConfig(env, id.reference, row.config);
  const sealed = sealConfig(env, reference, values);
  const config = { name, pollingPeriodMs };
  return [
    db.insert(paymentConnectors).values(
      connectorRow({
        id: { ...id, reference },
        config,
        sealed,
        publicUrl: row.publicUrl,
        now,
      }),
    ),
    ...scheduleStatements(db, { reference, kind, now }),
  ];
}
