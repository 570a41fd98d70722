import { sql } from "drizzle-orm";
import { orchestrationOccurrences } from "#modules/orchestration/triggers/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { outbox } from "#platform/events/tables.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** Most occurrences of one statement, and most statements of one sweep. */
const ROWS_MAX = 500;
const STATEMENTS_MAX = 20;

/**
 * For how long after an event its occurrences are known at least, in milliseconds. An event may be delivered again as long as one of its
 * consumers refuses it.
 */
const DUPLICATES_MS = 90 * 24 * 3_600_000;
/** How long expired occurrences are left alone whose events may still be delivered again, in milliseconds. */
const LOOK_AGAIN_MS = 24 * 3_600_000;

/**
 * Columns of an occurrence that is shown no longer. Only the key of its event, payment or account is left, so that a late event does not
 * fire the trigger again. The key of an event is kept for a while, the key of a payment or an account for ever.
 */
export const EXPIRED = {
  state: sql`CASE WHEN dedup_key LIKE 'event:%' THEN 'expired' ELSE 'known' END`,
  event: "",
  error: null,
  instanceId: null,
};

/**
 * Expires occurrences that failed more than `retentionMs` ago. An occurrence that started an instance expires with the instance. Returns
 * when to do so next, in milliseconds since the epoch.
 */
export async function expireOccurrences(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  retentionMs: number,
): Promise<number | undefined> {
  const db = databaseOf(env);
  const nowMs = toMillis(clock());
  const before = fromMillis(nowMs - retentionMs);
  for (let count = 0; count < STATEMENTS_MAX; count++) {
    const expired = await db
      .update(orchestrationOccurrences)
      .set(EXPIRED)
      .where(
        sql`key IN (
          SELECT key FROM ${orchestrationOccurrences}
          WHERE state = 'done' AND instance_id IS NULL AND date < ${before} ORDER BY date LIMIT ${ROWS_MAX})`,
      )
      .returning({ key: orchestrationOccurrences.key });
    if (expired.length < ROWS_MAX) break;
  }
  const [oldest] = await db.all<{ date: Timestamp | null }>(sql`
    SELECT min(date) AS date FROM ${orchestrationOccurrences}
    WHERE state = 'done' AND instance_id IS NULL`);
  if (oldest === undefined || oldest.date === null) return undefined;
  return Math.max(toMillis(oldest.date) + retentionMs + 1, nowMs);
}

/** Deletes expired occurrences whose events cannot be delivered again. Returns when to do so next, in milliseconds since the epoch. */
export async function forgetOccurrences({
  env,
  clock,
}: Pick<ServiceContext, "env" | "clock">): Promise<number | undefined> {
  const db = databaseOf(env);
  const nowMs = toMillis(clock());
  const before = fromMillis(nowMs - DUPLICATES_MS);
  for (let count = 0; count < STATEMENTS_MAX; count++) {
    const forgotten = await db.all(sql`
      DELETE FROM ${orchestrationOccurrences} WHERE key IN (
        SELECT key FROM ${orchestrationOccurrences} AS o
        WHERE state = 'expired' AND date < ${before}
          AND NOT EXISTS (SELECT 1 FROM ${outbox} WHERE id = substr(o.dedup_key, 7))
        ORDER BY date LIMIT ${ROWS_MAX})
      RETURNING key`);
    if (forgotten.length === ROWS_MAX && count === STATEMENTS_MAX - 1) return nowMs;
    if (forgotten.length < ROWS_MAX) break;
  }
  const [oldest] = await db.all<{ date: Timestamp | null }>(sql`
    SELECT min(date) AS date FROM ${orchestrationOccurrences} WHERE state = 'expired'`);
  if (oldest === undefined || oldest.date === null) return undefined;
  return Math.max(toMillis(oldest.date) + DUPLICATES_MS + 1, nowMs + LOOK_AGAIN_MS);
}
