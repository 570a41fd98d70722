import { sql } from "drizzle-orm";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** How long a shown reference is kept, in milliseconds: 400 days, longer than anybody makes a copy from a backup. */
const KEPT_MS = 400 * 86_400_000;
/** Most shown references that one sweep forgets. */
const FORGOTTEN_MAX = 1000;

/**
 * Forgets references that payments have shown `KEPT_MS` ago, the oldest first: an order that is made later than its payment is not taken for it
 * anyway. One that an order on its way has, or one that waits, is kept; the latter not
 * where the provider shows references in another form than that of the order.
 */
export async function forgetOldMarks({
  env,
  clock,
}: Pick<ServiceContext, "env" | "clock">): Promise<void> {
  const before = fromMillis(toMillis(clock()) - KEPT_MS);
  await databaseOf(env).run(sql`
    DELETE FROM payment_shown_marks WHERE (connector_key, mark) IN (
      SELECT s.connector_key, s.mark FROM payment_shown_marks AS s
      WHERE s.noted_at < ${before}
        AND NOT EXISTS (
          SELECT 1 FROM payment_movements AS m
          WHERE m.connector_key = s.connector_key AND m.mark = s.mark)
        AND NOT EXISTS (
          SELECT 1 FROM payment_initiations AS i
          WHERE i.connector_key = s.connector_key AND i.reference = s.mark
            AND i.status = 'WAITING_FOR_VALIDATION')
      ORDER BY s.noted_at LIMIT ${FORGOTTEN_MAX})`);
}
