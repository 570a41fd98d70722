import { and, eq } from "drizzle-orm";
import { type Alert, type AlertEvent, toAlert, toAlertEvent } from "./alert.ts";
import { reconciliationAlertEvents, reconciliationAlerts } from "./tables.ts";
import { uuidKey } from "#modules/reconciliation/balances/uuid-key.ts";
import {
  assertReadsEvidence,
  isOfListedRule,
  ruleIdKey,
} from "#modules/reconciliation/rules/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { AppError } from "#platform/errors.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const ALERTS: ListTable<Alert> = {
  keys: {
    id: uuidKey(reconciliationAlerts.id),
    ruleID: ruleIdKey(reconciliationAlerts.ruleKey),
    status: { type: "set", column: reconciliationAlerts.status },
    severity: { type: "set", column: reconciliationAlerts.severity },
    fingerprint: { type: "text", column: reconciliationAlerts.fingerprint },
    periodID: { type: "text", column: reconciliationAlerts.periodId },
    firstSeenAt: { type: "date", column: reconciliationAlerts.firstSeenAt },
    lastSeenAt: { type: "date", column: reconciliationAlerts.lastSeenAt },
  },
  sort: {
    last_seen_at: {
      type: "date",
      column: reconciliationAlerts.lastSeenAt,
      tie: reconciliationAlerts.key,
      keyOf: ({ lastSeenAt, key }) => ({ value: toMicros(lastSeenAt), tie: BigInt(key) }),
    },
  },
};

/** A page of the alerts of rules that the principal may read, last seen first. Throws `VALIDATION` for a bad filter. */
export const listAlerts = (
  { env, principal }: ServiceContext,
  query: PageQuery,
): Promise<Page<Alert>> =>
  listPage(query, {
    ...ALERTS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await databaseOf(env)
        .select()
        .from(reconciliationAlerts)
        .where(and(isOfListedRule(reconciliationAlerts.ruleKey, principal), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toAlert);
    },
  });

/** An alert. Throws as `assertReadsEvidence` does for its rule, and `NOT_FOUND`. */
export async function getAlert(context: ServiceContext, id: string): Promise<Alert> {
  const missing = new AppError("NOT_FOUND", `there is no alert ${id}`);
  const [row] = await databaseOf(context.env)
    .select()
    .from(reconciliationAlerts)
    .where(eq(reconciliationAlerts.id, id));
  if (row === undefined) throw missing;
  try {
    await assertReadsEvidence(context, row.ruleId);
  } catch (error) {
    throw error instanceof AppError && error.kind === "NOT_FOUND" ? missing : error;
  }
  return toAlert(row);
}

const EVENTS: ListTable<AlertEvent> = {
  sort: {
    at: {
      type: "date",
      column: reconciliationAlertEvents.at,
      tie: reconciliationAlertEvents.key,
      keyOf: ({ at, key }) => ({ value: toMicros(at), tie: BigInt(key) }),
    },
  },
};

/** A page of the history of an alert, the newest event first. Throws as `getAlert` does. */
export async function listAlertEvents(
  context: ServiceContext,
  alertId: string,
  query: PageQuery,
): Promise<Page<AlertEvent>> {
  await getAlert(context, alertId);
  return listPage(query, {
    ...EVENTS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await databaseOf(context.env)
        .select()
        .from(reconciliationAlertEvents)
        .where(and(eq(reconciliationAlertEvents.alertId, alertId), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toAlertEvent);
    },
  });
}
