import { and, gt, isNotNull, sql } from "drizzle-orm";
import { orchestrationInstances } from "#modules/orchestration/instances/tables.ts";
import { GRACE_MS } from "#modules/orchestration/instances/transition.ts";
import { present } from "#platform/assert.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { jsonRows } from "#platform/db/json-rows.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** Most instances that one sweep corrects. */
const INSTANCES_MAX = 500;

/**
 * Corrects when instances are due after the clock has stepped back. An instance whose last change lies in the future becomes due as long
 * after now as it was due after that change. Clocks of different machines differ by less than `GRACE_MS`, which changes nothing.
 */
export async function rescheduleAfterClockChange({
  env,
  clock,
}: Pick<ServiceContext, "env" | "clock">): Promise<void> {
  const db = databaseOf(env);
  const now = clock();
  const nowMs = toMillis(now);
  const { id, dueAt, updatedAt } = orchestrationInstances;
  const ahead = await db
    .select({ id, dueAt, updatedAt })
    .from(orchestrationInstances)
    .where(and(isNotNull(dueAt), gt(updatedAt, fromMillis(nowMs + GRACE_MS))))
    .limit(INSTANCES_MAX);
  const rows = ahead.map((row) => {
    const due = present(row.dueAt, "only those with a time are read");
    const next = fromMillis(nowMs + Math.max(0, toMillis(due) - toMillis(row.updatedAt)));
    return { id: row.id, due, next };
  });
  if (rows.length === 0) return;
  const { source, items } = jsonRows(rows);
  await db
    .update(orchestrationInstances)
    .set({ dueAt: items.next, updatedAt: now })
    .from(source)
    .where(sql`id = ${items.id} AND due_at = ${items.due}`);
}
