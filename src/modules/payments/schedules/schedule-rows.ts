import { and, eq, inArray, sql } from "drizzle-orm";
import { paymentFetches, paymentSchedules } from "./tables.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { Database } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
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
      SELECT ${columnValues(paymentSchedules, {
        key: null,
        connectorKey: sql`c.key`,
        task: sql`t.value`,
        createdAt: now,
        pausedAt: null,
        pausedReason: null,
        nextAt: now,
        version: sql`0`,
        instanceKey: null,
        node: sql`''`,
        fetchKey: sql`0`,
        attempts: sql`0`,
        givenUp: sql`0`,
        items: sql`0`,
        error: null,
        failures: sql`0`,
        failingSince: null,
        degradedSince: null,
        progressAt: null,
        lastSuccessAt: null,
        lastFailureAt: null,
        lastError: null,
        lastItems: null,
        confirmed: null,
      })}
      FROM ${paymentConnectors} AS c, json_each(${tasks}) AS t WHERE c.reference = ${reference}
      ORDER BY t.key`),
    db.insert(paymentFetches).select(sql`
      SELECT ${columnValues(paymentFetches, {
        key: null,
        scheduleKey: sql`key`,
        node: sql`task`,
        parent: sql`''`,
        payload: null,
        state: null,
        isDue: sql`1`,
        failures: sql`0`,
        retryAt: null,
      })}
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
