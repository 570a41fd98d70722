import { and, gt, isNotNull, sql } from "drizzle-orm";
import { orchestrationInstances } from "#modules/orchestration/instances/tables.ts";
import { GRACE_MS } from "#modules/orchestration/instances/transition.ts";
import { present } from "#platform/assert.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnOf, guardOf, packRows } from "#platform/db/guarded-rows.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** Most instances that one sweep corrects. */
const INSTANCES_MAX = 500;

/**
 * Corrects when instances are due after the clock has stepped back. An instance whose last change lies in the future becomes due as long
 * after now as it was due after that change. Clocks of different machines differ by less than `GRACE_MS`, which changes nothing.
 */
export async function followClock({
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
    return { guard: [row.id, due], columns: [next] };
  });
  for (const pack of packRows(rows)) {
    await db
      .update(orchestrationInstances)
      .set({ dueAt: sql`d.next`, updatedAt: now })
      .from(
        sql`(
          SELECT ${guardOf(0)} AS instance, ${guardOf(1)} AS due, ${columnOf(0)} AS next
          FROM json_each(${pack}) AS e) AS d`,
      )
      .where(sql`id = d.instance AND due_at = d.due`);
  }
}
