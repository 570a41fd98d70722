import { desc, eq, sql } from "drizzle-orm";
import { paymentInstances } from "#modules/payments/schedules/tables.ts";
import type { Database } from "#platform/db/database.ts";
import type { Timestamp } from "#platform/time.ts";

/** Runs that are kept for each schedule. */
export const INSTANCES_KEPT = 100;

/** The key of the run that was begun last, in SQL, for the batch that begins it. */
export const latestInstance = (scheduleKey: number) =>
  sql<number>`(SELECT max(key) FROM payment_instances WHERE schedule_key = ${scheduleKey})`;

/** The statements that begin a run and delete the oldest runs. */
export const beginInstance = (
  db: Database,
  { scheduleKey, now }: { readonly scheduleKey: number; readonly now: Timestamp },
) =>
  [
    db.insert(paymentInstances).values({ scheduleKey, createdAt: now, updatedAt: now }),
    db
      .delete(paymentInstances)
      .where(
        sql`schedule_key = ${scheduleKey} AND key <= (${db
          .select({ key: paymentInstances.key })
          .from(paymentInstances)
          .where(eq(paymentInstances.scheduleKey, scheduleKey))
          .orderBy(desc(paymentInstances.key))
          .limit(1)
          .offset(INSTANCES_KEPT)})`,
      ),
  ] as const;

export const endInstance = (
  db: Database,
  {
    instanceKey,
    now,
    error,
  }: { readonly instanceKey: number; readonly now: Timestamp; readonly error: string | null },
) =>
  db
    .update(paymentInstances)
    .set({ updatedAt: now, terminatedAt: now, error })
    .where(eq(paymentInstances.key, instanceKey));
