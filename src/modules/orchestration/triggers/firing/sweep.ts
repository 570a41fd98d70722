import { asc, isNotNull, sql } from "drizzle-orm";
import {
  type AnnouncedOccurrence,
  announceOccurrences,
} from "#modules/orchestration/triggers/announce.ts";
import { orchestrationOccurrences } from "#modules/orchestration/triggers/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** Most occurrences that one sweep announces. The next sweep follows at once if there are more. */
const OCCURRENCES_PER_SWEEP_MAX = 500;
/** How long after its announcement an occurrence is announced again, unless it was fired, in milliseconds. */
const ANNOUNCED_AGAIN_MS = 30_000;
/** Longest time that an occurrence waits, in milliseconds. One that is due later was stored before the clock stepped back. */
const WAIT_MS_MAX = 300_000;

/**
 * Announces the occurrences that are due, because their message was lost or they are tried again. Returns when to do so again, in
 * milliseconds since the epoch.
 */
export async function sweepOccurrences({
  env,
  clock,
}: ServiceContext): Promise<number | undefined> {
  const db = databaseOf(env);
  const now = clock();
  const next = fromMillis(toMillis(now) + ANNOUNCED_AGAIN_MS);
  const latest = fromMillis(toMillis(now) + WAIT_MS_MAX);
  const due = await db.all<AnnouncedOccurrence>(sql`
    UPDATE ${orchestrationOccurrences} SET due_at = ${next} WHERE key IN (
      SELECT key FROM ${orchestrationOccurrences} WHERE due_at <= ${now} OR due_at > ${latest}
      ORDER BY due_at LIMIT ${OCCURRENCES_PER_SWEEP_MAX})
    RETURNING id, trigger_key AS "trigger"`);
  await announceOccurrences(env, due);
  const [first] = await db
    .select({ dueAt: orchestrationOccurrences.dueAt })
    .from(orchestrationOccurrences)
    .where(isNotNull(orchestrationOccurrences.dueAt))
    .orderBy(asc(orchestrationOccurrences.dueAt))
    .limit(1);
  return first === undefined || first.dueAt === null ? undefined : toMillis(first.dueAt);
}
