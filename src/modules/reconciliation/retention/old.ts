import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  reconciliationAlertEvents,
  reconciliationAlerts,
} from "#modules/reconciliation/alerts/tables.ts";
import { CONTINUOUS } from "#modules/reconciliation/core/period.ts";
import { reconciliationEvaluations } from "#modules/reconciliation/evaluations/tables.ts";
import { reconciliations } from "#modules/reconciliation/policies/tables.ts";
import { reconciliationSettings } from "#modules/reconciliation/settings.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** Most rows that one statement deletes, and most statements of one sweep for each kind of row. */
const ROWS_MAX = 1000;
const STATEMENTS_MAX = 10;
/** Most alerts that one batch deletes with their events. */
const ALERTS_MAX = 100;
/** The longest period of a rule, in milliseconds: an alert that has not changed for longer belongs to a period that is over. */
const PERIOD_MS_MAX = 31 * 24 * 3_600_000;

/** A kind of row that is deleted when it is old. */
interface Aging {
  readonly table: SQLiteTable;
  /** The column with the date from which the age counts. */
  readonly date: SQL;
  /** The rows of the kind; an index serves the condition together with the date. */
  readonly where: SQL;
  readonly keptMs: number;
}

function agingRows({ env }: Pick<ServiceContext, "env">): readonly Aging[] {
  const {
    FLORIN_RECONCILIATION_RETENTION: keptMs,
    FLORIN_RECONCILIATION_RETENTION_PASSED: passedMs,
  } = reconciliationSettings.of(env);
  const quietMs = Math.min(keptMs, passedMs);
  return [
    { table: reconciliations, date: sql`created_at`, where: sql`TRUE`, keptMs },
    {
      table: reconciliationEvaluations,
      date: sql`created_at`,
      where: sql`result = 'PASS'`,
      keptMs: quietMs,
    },
    { table: reconciliationEvaluations, date: sql`created_at`, where: sql`TRUE`, keptMs },
    {
      table: reconciliationAlerts,
      date: sql`updated_at`,
      where: sql`status = 'RESOLVED'`,
      keptMs,
    },
    {
      table: reconciliationAlerts,
      date: sql`updated_at`,
      where: sql`status <> 'RESOLVED' AND period_id <> ${CONTINUOUS}`,
      keptMs: Math.max(keptMs, PERIOD_MS_MAX),
    },
    // What people did with an alert lives as long as the alert.
    {
      table: reconciliationAlertEvents,
      date: sql`at`,
      where: sql`notify = 0 AND type = 'fail'`,
      keptMs: quietMs,
    },
    ...[sql`notify = 0`, sql`notify = 1`].map((isOfIndex) => ({
      table: reconciliationAlertEvents,
      date: sql`at`,
      where: sql`${isOfIndex} AND type IN ('fail', 'pass')`,
      keptMs,
    })),
  ];
}

/** Deletes rows that are older than the settings say. Returns when the next row is, in milliseconds since the epoch. */
export async function purgeOld(
  context: Pick<ServiceContext, "env" | "clock">,
): Promise<number | undefined> {
  const times: number[] = [];
  for (const rows of agingRows(context)) {
    const next = await purge(context, rows);
    if (next !== undefined) times.push(next);
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

async function purge(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { table, date, where, keptMs }: Aging,
): Promise<number | undefined> {
  const db = databaseOf(env);
  const nowMs = toMillis(clock());
  const before = fromMillis(nowMs - keptMs);
  for (let count = 0; count < STATEMENTS_MAX; count++) {
    const isOld = sql`${where} AND ${date} < ${before}`;
    if (table === reconciliationAlerts) {
      if (await purgeAlerts(db, sql`${isOld} ORDER BY ${date} LIMIT ${ALERTS_MAX}`)) break;
      continue;
    }
    const gone = await db.all(sql`
      DELETE FROM ${table} WHERE key IN (
        SELECT key FROM ${table} WHERE ${isOld} ORDER BY ${date} LIMIT ${ROWS_MAX})
      RETURNING key`);
    if (gone.length < ROWS_MAX) break;
  }
  const [oldest] = await db.all<{ date: Timestamp | null }>(
    sql`SELECT min(${date}) AS date FROM ${table} WHERE ${where}`,
  );
  if (oldest === undefined || oldest.date === null) return undefined;
  return Math.max(toMillis(oldest.date) + keptMs + 1, nowMs);
}

/** Deletes a batch of alerts, each after the last one of its events. Returns whether no such alert is left. */
async function purgeAlerts(db: Database, condition: SQL): Promise<boolean> {
  const isOfOldAlert = sql`key IN (
    SELECT key FROM ${reconciliationAlertEvents}
    WHERE alert_id IN (SELECT id FROM ${reconciliationAlerts} WHERE ${condition}) LIMIT ${ROWS_MAX})`;
  const isBare = sql`key IN (SELECT key FROM ${reconciliationAlerts} WHERE ${condition})
    AND NOT EXISTS (SELECT 1 FROM ${reconciliationAlertEvents} WHERE alert_id = reconciliation_alerts.id)`;
  const [events, alerts] = await db.batch([
    db
      .delete(reconciliationAlertEvents)
      .where(isOfOldAlert)
      .returning({ key: reconciliationAlertEvents.key }),
    db.delete(reconciliationAlerts).where(isBare).returning({ key: reconciliationAlerts.key }),
  ]);
  return events.length < ROWS_MAX && alerts.length < ALERTS_MAX;
}
