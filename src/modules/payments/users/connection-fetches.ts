import { and, eq, exists, sql } from "drizzle-orm";
import { z } from "zod";
import { type ConnectionName, isConnection } from "./connection-store.ts";
import { paymentUserConnections } from "./tables.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { isHeld } from "#modules/payments/schedules/hold.ts";
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

/** The connection of a fetch; undefined for a fetch of another item. */
export function connectionOf({
  payload,
}: Pick<typeof paymentFetches.$inferSelect, "payload">): ConnectionFetch | undefined {
  return payload === null ? undefined : Payload.safeParse(parseJson(payload)).data?.connection;
}

/**
 * The statements by which the schedules fetch a connection at once, also if they have fetched it before. They do nothing
 * for a connection that does not exist. The new revision of the connector makes the reconciler call its object.
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
          WHERE c.key = ${connector.key} AND ${isHeld(now)}), ${now})`,
        version: sql`version + 1`,
      })
      .where(and(roots, isThere)),
    db
      .update(paymentConnectors)
      .set(nextRevision(now))
      .where(eq(paymentConnectors.key, connector.key)),
  ] as const;
}

/**
 * Whether a connection was added after the run of a schedule had passed the root, so that the schedule has to run again at
 * once.
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
