import { type SQL, sql } from "drizzle-orm";
import { FAMILIES } from "./families.ts";
import {
  ageSeconds,
  type Observation,
  type Problem,
  sample,
  type ProblemSeverity,
} from "./section.ts";
import type { StatusSection } from "./section.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** Work that waits as rows of a table of D1. */
export interface WorkQueue {
  /** The name of the work in labels: `owed-deliveries`. */
  readonly work: string;
  /** The table, and the condition of rows that wait, which an index answers; absent for all rows. */
  readonly table: SQL;
  readonly where?: SQL;
  /** The time since when a row is due, a `Timestamp`. */
  readonly due: SQL;
  /** The column that the same index sorts by, where it is not `due`: those that come first are counted. */
  readonly order?: SQL;
  /** How long a row may be due until it counts as overdue, in milliseconds. */
  readonly graceMs: number;
  /** A condition on which a row that is due counts as overdue, however long it has been due. */
  readonly isOverdue?: SQL;
  readonly severity: ProblemSeverity;
  /** Why rows are overdue, and what to do about it: sentences without a full stop. */
  readonly why: string;
  readonly whatToDo: string;
}

/** Most rows that are counted. */
export const COUNT_MAX = 10_000;

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
