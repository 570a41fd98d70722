import { and, eq, sql } from "drizzle-orm";
import { webhookConfigs } from "#modules/webhooks/tables.ts";
import type { Database } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";

/** Most test requests of one config in a minute of the clock. Each test makes the server call an endpoint. */
export const TESTS_PER_MINUTE_MAX = 10;
/** Most test requests of all configs in a minute of the clock. */
export const ALL_TESTS_PER_MINUTE_MAX = 100;

const MINUTE_MS = 60_000;

/**
 * Counts a test request of a config, or throws `RATE_LIMITED`. One statement compares and counts, so that the limits hold
 * for all instances of the Worker together.
 */
export async function countTest(db: Database, id: string, now: Timestamp): Promise<void> {
  const nowMs = toMillis(now);
  const minute = Math.floor(nowMs / MINUTE_MS);
  const { testMinute, testCount } = webhookConfigs;
  const inThisMinute = sql`CASE WHEN ${testMinute} = ${minute} THEN ${testCount} ELSE 0 END`;
  const ofAll = sql`(SELECT total(c.test_count) FROM ${webhookConfigs} c WHERE c.test_minute = ${minute})`;
  const counted = await db
    .update(webhookConfigs)
    .set({ testMinute: minute, testCount: sql`${inThisMinute} + 1` })
    .where(
      and(
        eq(webhookConfigs.id, id),
        sql`${inThisMinute} < ${TESTS_PER_MINUTE_MAX}`,
        sql`${ofAll} < ${ALL_TESTS_PER_MINUTE_MAX}`,
      ),
    )
    .returning({ id: webhookConfigs.id });
  if (counted.length > 0) return;
  throw new AppError(
    "RATE_LIMITED",
    `a config can be tested ${TESTS_PER_MINUTE_MAX} times a minute, and all configs together ${ALL_TESTS_PER_MINUTE_MAX} times`,
    { retryAfterSeconds: Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / 1000) },
  );
}
