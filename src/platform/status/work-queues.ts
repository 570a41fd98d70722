import { type SQL, sql } from "drizzle-orm";
import { FAMILIES } from "./families.ts";
import { ageSeconds, type Observation, type Problem, sample } from "./section.ts";
import type { StatusSection } from "./section.ts";
import { readStuckRows } from "./stuck.ts";
import { COUNT_MAX, type WorkQueue } from "./work-queue.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

interface QueueRow {
  readonly waiting: number;
  readonly overdue: number;
  readonly oldest: Timestamp | null;
}

/** A section that shows queues. One statement reads all of them, `COUNT_MAX` entries of an index of each at most. */
export const queuesSection = (
  module: string,
  { name, description }: Pick<StatusSection, "name" | "description">,
  queues: readonly WorkQueue[],
): StatusSection => ({
  name,
  description,
  read: (context) => observeQueues(context, module, queues),
  stuck: (context, max) => readStuckRows(context, queues, max),
});

/** Reads queues: how much waits, how much is overdue, and how long the oldest row has been due. */
export async function observeQueues(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  module: string,
  queues: readonly WorkQueue[],
): Promise<Observation> {
  const nowMs = toMillis(clock());
  const parts = queues.map((queue) => countOf(queue, nowMs));
  const rows = await databaseOf(env).all<QueueRow>(sql.join(parts, sql` UNION ALL `));
  const seen = queues.flatMap((queue, index) => {
    const row = rows[index];
    return row === undefined ? [] : [{ queue, row }];
  });
  return {
    samples: seen.flatMap(({ queue: { work }, row: { waiting, overdue, oldest } }) => {
      const age = oldest === null ? 0 : ageSeconds(toMillis(oldest), nowMs);
      const labels = { module, work };
      return [
        sample(FAMILIES.workWaiting, waiting, labels),
        sample(FAMILIES.workOverdue, overdue, labels),
        sample(FAMILIES.workOldest, age, labels),
      ];
    }),
    problems: seen.flatMap(({ queue, row }) => problemOf(queue, row)),
  };
}

function countOf(queue: WorkQueue, nowMs: number): SQL {
  const { table, where = sql`TRUE`, due, order = due, graceMs, isOverdue = sql`FALSE` } = queue;
  const late = fromMillis(nowMs - graceMs);
  const limit = sql.raw(String(COUNT_MAX));
  return sql`SELECT count(*) AS waiting, count(CASE WHEN due < ${late} OR overdue THEN 1 END) AS overdue,
      min(due) AS oldest
    FROM (
      SELECT ${due} AS due, ${isOverdue} AS overdue FROM ${table} WHERE ${where}
      ORDER BY ${order} LIMIT ${limit})`;
}

function problemOf(
  { work, severity, why, whatToDo }: WorkQueue,
  { overdue, oldest }: QueueRow,
): Problem[] {
  if (overdue === 0) return [];
  const what = `${overdue === COUNT_MAX ? "at least " : ""}${overdue} of ${work}`;
  const sinceMs = oldest === null ? undefined : toMillis(oldest);
  return [{ severity, what, sinceMs, why, whatToDo }];
}
