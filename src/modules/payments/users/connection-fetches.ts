import { and, eq, exists, sql } from "drizzle-orm";
import { z } from "zod";
import { type ConnectionName, isConnection } from "./connection-store.ts";
import { paymentUserConnections } from "./tables.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { isHeld } from "#modules/payments/schedules/hold.ts";
import { paymentFetches, paymentSchedules } from "#modules/payments/schedules/tables.ts";
import { type Database } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";

/**
 * What a new connection of a user gives is fetched by the schedules of its connector, page by page as everything else: it is an item of
 * the root of accounts, and of the one of payments, that is fetched once and then forgotten. Secrets of the connection are not kept in it.
 */
export interface ConnectionFetch {
  readonly userId: string;
  readonly connectionId: string;
}

const Payload = z.object({
  connection: z.object({ userId: z.string(), connectionId: z.string() }),
});

/** The connection that a fetch is for; undefined for all others. */
export function connectionOf({
  payload,
}: Pick<typeof paymentFetches.$inferSelect, "payload">): ConnectionFetch | undefined {
  return payload === null ? undefined : Payload.safeParse(parseJson(payload)).data?.connection;
}

/** The statements that let a connection be fetched at once, if it is there, and again if it was before. The connector's object is told. */
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
          SELECT NULL, ${paymentSchedules.key}, ${paymentSchedules.task}, ${`${userId}/${connectionId}`}, ${payload},
            NULL, 1, 0, NULL
          FROM ${paymentSchedules} WHERE ${roots} AND ${isThere}`,
      )
      .onConflictDoUpdate({
        target: [paymentFetches.scheduleKey, paymentFetches.node, paymentFetches.parent],
        set: { state: null, isDue: 1, failures: 0, retryAt: null },
      }),
    // A step that is under way is refused as stale, so that it cannot put the time off.
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

/** Whether a connection came after the run of a schedule had passed its root: it has to run again at once. */
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
