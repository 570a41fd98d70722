import { and, eq, sql } from "drizzle-orm";
import { paymentRejectedItems } from "./tables.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import {
  reconcilerOf,
  requestLimits,
  withReference,
} from "#modules/payments/installs/reconciler.ts";
import { getConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { isOnHold } from "#modules/payments/schedules/hold.ts";
import { paymentSchedules } from "#modules/payments/schedules/tables.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";

/**
 * Makes the schedules with rejected items run now, unless the provider has asked for a pause. Each run fetches the pages of
 * rejected items again. Throws `NOT_FOUND`.
 */
export async function retryRejectedItems(context: ServiceContext, id: ConnectorId): Promise<void> {
  const { env, clock } = context;
  const { key } = await getConnector(context, id);
  const db = databaseOf(env);
  const now = clock();
  const reconciler = reconcilerOf(env);
  await reconciler.change(() =>
    db.batch([
      // A step that is under way is refused as stale, so that it cannot postpone the run.
      db
        .update(paymentSchedules)
        .set({
          nextAt: sql`coalesce((SELECT c.held_until FROM ${paymentConnectors} AS c
            WHERE c.key = ${key} AND ${isOnHold(now)}), ${now})`,
          version: sql`version + 1`,
        })
        .where(
          sql`connector_key = ${key} AND key IN (
            SELECT schedule_key FROM ${paymentRejectedItems} WHERE connector_key = ${key})`,
        ),
      db.update(paymentConnectors).set(nextRevision(now)).where(eq(paymentConnectors.key, key)),
    ]),
  );
  await reconciler.settle({ ...requestLimits(), scope: withReference(id.reference) });
}

/** Deletes a rejected item, whose page is then not fetched again because of it. Throws `NOT_FOUND`. */
export async function dismissRejectedItem(
  context: ServiceContext,
  { connector: id, key }: { readonly connector: ConnectorId; readonly key: number },
): Promise<void> {
  const connector = await getConnector(context, id);
  const db = databaseOf(context.env);
  const audited = new AuditedChange(context, {
    action: "payments.connector.dismiss-rejected",
    object: `connectors/${id.reference}/rejected/${key}`,
  });
  const deleted = await audited.store(
    db
      .delete(paymentRejectedItems)
      .where(
        and(
          eq(paymentRejectedItems.key, key),
          eq(paymentRejectedItems.connectorKey, connector.key),
        ),
      )
      .returning({ key: paymentRejectedItems.key }),
  );
  if (deleted.length === 0) {
    throw new AppError("NOT_FOUND", "cannot get rejected item: not found");
  }
}
