import { sql } from "drizzle-orm";
import type { StuckWork } from "./section.ts";
import { COUNT_MAX, type WorkQueue } from "./work-queue.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

interface StuckRow {
  readonly id: string | null;
  readonly due: Timestamp | null;
  readonly reason: string | null;
}

/** Longest reason that is shown, in characters: a row may have an error of any length. */
const REASON_LENGTH_MAX = 500;

/**
 * The rows of queues that are overdue, at most `max` of each, those first that the queue's index has first. Reads `COUNT_MAX` entries of each
 * queue's index at most, as the status does.
 */
export async function readStuckRows(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  queues: readonly WorkQueue[],
  max: number,
): Promise<StuckWork[]> {
  const nowMs = toMillis(clock());
  const db = databaseOf(env);
  const [first, ...others] = queues.map((queue) => overdueRows(db, queue, { nowMs, max }));
  if (first === undefined) return [];
  const answers = await db.batch([first, ...others]);
  return queues.flatMap((queue, index) =>
    (answers[index] ?? []).map((row) => stuckWork(queue, row)),
  );
}

function overdueRows(
  db: Database,
  queue: WorkQueue,
  { nowMs, max }: { readonly nowMs: number; readonly max: number },
) {
  const { table, where = sql`TRUE`, due, order = due, graceMs, isOverdue = sql`FALSE` } = queue;
  const { id, reason = sql`NULL` } = queue.item;
  const read = sql.raw(String(COUNT_MAX));
  return db
    .select({
      id: sql<string | null>`${id}`,
      due: sql<Timestamp | null>`${due}`,
      reason: sql<string | null>`substr(${reason}, 1, ${REASON_LENGTH_MAX})`,
    })
    .from(sql`(SELECT * FROM ${table} WHERE ${where} ORDER BY ${order} LIMIT ${read})`)
    .where(sql`${due} < ${fromMillis(nowMs - graceMs)} OR ${isOverdue}`)
    .limit(max);
}

function stuckWork(
  { work, severity, why, whatToDo, item }: WorkQueue,
  { id, due, reason }: StuckRow,
): StuckWork {
  const { show = (text) => text, path } = item;
  const known = id ?? "";
  return {
    work,
    severity,
    what: show(known),
    sinceMs: due === null ? undefined : toMillis(due),
    why: reason === null || reason === "" ? why : `${why}: ${reason}`,
    whatToDo,
    path: path(known),
  };
}
