import { and, eq, isNull, sql } from "drizzle-orm";
import { checkConfig, nameTaken } from "./install.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { sealConfig } from "#modules/payments/installs/config.ts";
import {
  reconcilerOf,
  requestLimits,
  withReference,
} from "#modules/payments/installs/reconciler.ts";
import { findConnector, getConnector, unknownConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { resumeStatements } from "#modules/payments/schedules/schedule-rows.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";

/**
 * Replaces the whole configuration. Paused schedules resume, and all schedules run at once. Throws `NOT_FOUND`,
 * `VALIDATION`, or `ALREADY_EXISTS` for the new name.
 */
export async function updateConnector(
  context: ServiceContext,
  { id, body }: { readonly id: ConnectorId; readonly body: unknown },
): Promise<void> {
  const { env, clock } = context;
  const connector = await getConnector(context, id);
  const { config } = await checkConfig(context, {
    provider: id.provider,
    body,
    reference: id.reference,
  });
  const db = databaseOf(env);
  const now = clock();
  const isFree = sql`NOT EXISTS (
    SELECT 1 FROM payment_connectors AS other WHERE other.name = ${config.name} AND other.key <> ${connector.key})`;
  const reconciler = reconcilerOf(env);
  const updated = await reconciler.change(() =>
    auditedUpdate(context, id).store(
      db
        .update(paymentConnectors)
        .set({
          name: config.name,
          pollingPeriodMs: config.pollingPeriodMs,
          config: sealConfig(env, id.reference, config.values),
          updatedAt: now,
          ...nextRevision(now),
        })
        .where(
          and(
            eq(paymentConnectors.key, connector.key),
            isNull(paymentConnectors.deletedAt),
            isFree,
          ),
        )
        .returning({ key: paymentConnectors.key }),
      ...resumeStatements(db, { connectorKey: connector.key, now }),
    ),
  );
  if (updated.length === 0) throw await refusal(context, id, config.name);
  await reconciler.settle({ ...requestLimits(), scope: withReference(id.reference) });
}

/** The reason for which no row was updated. */
async function refusal(context: ServiceContext, id: ConnectorId, name: string): Promise<AppError> {
  const connector = await findConnector(context, id);
  if (connector === undefined) return unknownConnector();
  return connector.deletedAt === undefined ? nameTaken(name) : beingRemoved();
}

export const beingRemoved = (): AppError =>
  new AppError("VALIDATION", "the connector is being uninstalled");

const auditedUpdate = (context: ServiceContext, { reference }: ConnectorId): AuditedChange =>
  new AuditedChange(context, {
    action: "payments.connector.update",
    object: `connectors/${reference}`,
  });
