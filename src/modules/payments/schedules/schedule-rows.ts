import { and, eq, inArray, sql } from "drizzle-orm";
import { paymentFetches, paymentSchedules } from "./tables.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { Database } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * The statements that insert the schedules of a new installation, due at once. They insert nothing if the installation was
 * not stored.
 */
export function scheduleStatements(
  db: Database,
  { reference, kind, now }: { reference: string; kind: ConnectorKind; now: Timestamp },
) {
  const tasks = stringifyJson(kind.tree.map(({ task }) => task));
  const ofConnector = sql`(SELECT key FROM ${paymentConnectors} WHERE reference = ${reference})`;
  return [
    db.insert(paymentSchedules).select(sql`
      SELECT NULL, c.key, t.value, ${now}, NULL, NULL, ${now}, 0, NULL, '', 0, 0, 0, 0, NULL, 0, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL
      FROM ${paymentConnectors} AS c, json_each(${tasks}) AS t WHERE c.reference = ${reference}
      ORDER BY t.key`),
    db.insert(paymentFetches).select(sql`
      SELECT NULL, key, task, '', NULL, NULL, 1, 0, NULL
      FROM ${paymentSchedules} WHERE connector_key = ${ofConnector}`),
  ] as const;
}

/**
 * The statements after which all schedules of an installation run at once, including paused ones, with nearly all their
 * attempts. Webhooks are registered again, because the configuration may contain the key that signs deliveries.
 */
export function resumeStatements(
  db: Database,
  { connectorKey, now }: { readonly connectorKey: number; readonly now: Timestamp },
) {
  const isRegistration = sql`${paymentFetches.node} LIKE '%CREATE_WEBHOOKS'`;
  const ofConnector = eq(paymentSchedules.connectorKey, connectorKey);
  return [
    db
      .update(paymentConnectors)
      .set({ health: "failing", healthSince: now, healthVersion: sql`health_version + 1` })
      .where(and(eq(paymentConnectors.key, connectorKey), eq(paymentConnectors.health, "paused"))),
    db
      .update(paymentSchedules)
      .set({
        pausedAt: null,
        pausedReason: null,
        // One failure is left: the schedule counts as failing until a run succeeds.
        failures: sql`min(failures, 1)`,
        attempts: 0,
        nextAt: now,
        version: sql`version + 1`,
      })
      .where(ofConnector),
    db
      .update(paymentFetches)
      .set({
        failures: sql`min(failures, 1)`,
        retryAt: null,
        isDue: sql`CASE WHEN ${isRegistration} THEN 1 ELSE is_due END`,
      })
      .where(
        inArray(
          paymentFetches.scheduleKey,
          db.select({ key: paymentSchedules.key }).from(paymentSchedules).where(ofConnector),
        ),
      ),
  ] as const;
}
