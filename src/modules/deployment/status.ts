import { sql } from "drizzle-orm";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { deadLetterSettings } from "#platform/dead-letters/dead-letter-settings.ts";
import { deadLetters } from "#platform/dead-letters/tables.ts";
import type { Observation, StatusSection } from "#platform/status/section.ts";
import { readStuckRows } from "#platform/status/stuck.ts";
import type { WorkQueue } from "#platform/status/work-queue.ts";
import { observeQueues } from "#platform/status/work-queues.ts";

/** Dead letters wait for an operator from their first moment on. */
const WAITING: WorkQueue = {
  work: "dead-letters",
  item: { id: sql`id`, reason: sql`error`, path: (id) => `/api/florin/v1/dead-letters/${id}` },
  table: sql`${deadLetters}`,
  where: sql`state = 'waiting'`,
  due: sql`first_seen`,
  graceMs: 0,
  isOverdue: sql`TRUE`,
  severity: "warning",
  why: "a queue has given these messages up; each shows why its consumer refused it",
  whatToDo:
    "repair the cause, then send the letters again (npm run florin -- dead-letters retry all) or drop them",
};

/** Messages that a queue has given up. */
export const deadLettersSection: StatusSection = {
  name: "dead-letters",
  description: "Messages that a queue has given up",
  read: observeDeadLetters,
  stuck: (context, max) => readStuckRows(context, [WAITING], max),
};

async function observeDeadLetters(context: ServiceContext): Promise<Observation> {
  const { FLORIN_DEAD_LETTERS_KEPT: kept } = deadLetterSettings.of(context.env);
  const [seen, [stored]] = await Promise.all([
    observeQueues(context, "deployment", [WAITING]),
    databaseOf(context.env).all<{ count: number }>(
      sql`SELECT count(*) AS count FROM (SELECT 1 FROM ${deadLetters} WHERE state <> 'retried' LIMIT ${kept})`,
    ),
  ]);
  if ((stored?.count ?? 0) < kept) return seen;
  const full = {
    severity: "critical",
    what: "the table of dead letters",
    sinceMs: undefined,
    why: `${kept} dead letters are stored, so that further ones wait in their queue, which keeps them for four days`,
    whatToDo: "repair the cause, then send the letters again or drop them",
  } as const;
  return { ...seen, problems: [full, ...seen.problems] };
}
