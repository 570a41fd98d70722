import { and, eq, exists, sql } from "drizzle-orm";
import { z } from "zod";
import { type ConnectionName, isConnection } from "./connection-store.ts";
import { paymentUserConnections } from "./tables.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { isOnHold } from "#modules/payments/schedules/hold.ts";
import { paymentFetches, paymentSchedules } from "#modules/payments/schedules/tables.ts";
import { type Database } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";

/**
 * A connection whose data is to be fetched. The schedules of its connector fetch the data, page by page: the connection is
 * an item below the roots of accounts and of payments that is fetched once and then deleted. The item does not contain the
 * connection's secrets.
 */
export interface ConnectionFetch {
  readonly userId: string;
  readonly connectionId: string;
}

const Payload = z.object({
  connection: z.object({ userId: z.string(), connectionId: z.string() }),
});

/** The connection that a row of `payment_fetches` fetches; undefined for the row of another item. */
export function connectionOf({
  payload,
}: Pick<typeof paymentFetches.$inferSelect, "payload">): ConnectionFetch | undefined {
  return payload === null ? undefined : Payload.safeParse(parseJson(payload)).data?.connection;
}

/**
 * The statements by which the schedules fetch a connection at once, from its beginning, also if they have fetched it before or
 * are about to. A connector that is held fetches it when it resumes. The statements do nothing for a connection that does not
 * exist. The caller runs them in one batch, after the statement that stores the connection, and then has the reconciler run:
 * the new revision makes it call the connector's object.
 */
export function connectionFetches(
  db: Database,
  { userId, now, ...name }: ConnectionName & { readonly userId: string; readonly now: Timestamp },
) {
  const { connectionId, connector } = name;
  const isThere = exists(
    db
      .select({ key: paymentUserConnections.key })
      .from(paymentUserConnections)
      .where(isConnection(name)),
  );
  const roots = sql`${paymentSchedules.connectorKey} = ${connector.key}
    AND ${paymentSchedules.task} IN ('FETCH_ACCOUNTS', 'FETCH_PAYMENTS')`;
  const payload = stringifyJson({ connection: { userId, connectionId } });
  return [
    db
      .insert(paymentFetches)
      .select(
        sql`
          SELECT ${columnValues(paymentFetches, {
            key: null,
            scheduleKey: paymentSchedules.key,
            node: paymentSchedules.task,
            parent: `${userId}/${connectionId}`,
            payload,
            state: null,
            isDue: sql`1`,
            failures: sql`0`,
            retryAt: null,
          })}
          FROM ${paymentSchedules} WHERE ${roots} AND ${isThere}`,
      )
      .onConflictDoUpdate({
        target: [paymentFetches.scheduleKey, paymentFetches.node, paymentFetches.parent],
        set: { state: null, isDue: 1, failures: 0, retryAt: null },
      }),
    // A step that is under way is refused as stale, so that it cannot postpone the fetch.
    db
      .update(paymentSchedules)
      .set({
        nextAt: sql`coalesce((SELECT c.held_until FROM ${paymentConnectors} AS c
          WHERE c.key = ${connector.key} AND ${isOnHold(now)}), ${now})`,
        version: sql`version + 1`,
      })
      .where(and(roots, isThere)),
    db
      .update(paymentConnectors)
      .set(nextRevision(now))
      .where(and(eq(paymentConnectors.key, connector.key), isThere)),
  ] as const;
}

/**
 * Whether a connection still waits for its fetch at the end of a schedule's run, because it was added after the run had passed the
 * root; then the schedule has to run again at once. Fetches that have failed wait for their own time.
 */
export async function hasConnectionFetch(
  db: Database,
  { key, task }: Pick<typeof paymentSchedules.$inferSelect, "key" | "task">,
): Promise<boolean> {
  const found = await db
    .select({ key: paymentFetches.key })
    .from(paymentFetches)
    .where(
      sql`schedule_key = ${key} AND node = ${task} AND parent > '' AND is_due = 1 AND failures = 0`,
    )
    .limit(1);
  return found.length > 0;
}
