import { sql } from "drizzle-orm";
import { EXPIRED } from "./occurrences.ts";
import {
  orchestrationActivities,
  orchestrationInstances,
  orchestrationMoments,
  orchestrationStages,
} from "#modules/orchestration/instances/tables.ts";
import { orchestrationOccurrences } from "#modules/orchestration/triggers/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** Most instances of one batch, and most moments of these together, unless the first instance alone has more. */
const INSTANCES_PER_BATCH_MAX = 100;
const MOMENTS_PER_BATCH_MAX = 5000;
/** Most batches that one sweep purges. */
const BATCHES_MAX = 20;

/**
 * Purges instances that ended more than `retentionMs` ago, with their history. Returns when to purge next, in milliseconds since the epoch.
 */
export async function purgeInstances(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  retentionMs: number,
): Promise<number | undefined> {
  const db = databaseOf(env);
  const nowMs = toMillis(clock());
  const before = fromMillis(nowMs - retentionMs);
  for (let count = 0; count < BATCHES_MAX; count++) {
    const keys = await oldestBefore(db, before);
    if (keys.length === 0) break;
    await purge(db, keys, before);
  }
  const [oldest] = await db.all<{ at: Timestamp | null }>(sql`
    SELECT min(terminated_at) AS at FROM ${orchestrationInstances} WHERE terminated_at IS NOT NULL`);
  if (oldest === undefined || oldest.at === null) return undefined;
  return Math.max(toMillis(oldest.at) + retentionMs + 1, nowMs);
}

/** The keys of the instances that ended first and before a time, as many as one batch takes. */
async function oldestBefore(db: Database, before: Timestamp): Promise<number[]> {
  const rows = await db.all<{ key: number; moments: number }>(sql`
    SELECT key, (SELECT count(*) FROM ${orchestrationMoments} WHERE instance_key = i.key) AS moments
    FROM ${orchestrationInstances} AS i WHERE terminated_at < ${before}
    ORDER BY terminated_at LIMIT ${INSTANCES_PER_BATCH_MAX}`);
  let total = 0;
  return rows.flatMap(({ key, moments }, at) => {
    total += moments;
    return at === 0 || total <= MOMENTS_PER_BATCH_MAX ? [key] : [];
  });
}

/** Purges instances with everything that belongs to them. An instance that was retried since it was found is kept. */
async function purge(db: Database, keys: readonly number[], before: Timestamp): Promise<void> {
  const listed = sql`(SELECT value FROM json_each(${stringifyJson(keys)}))`;
  const isEnded = sql`key IN ${listed} AND terminated_at < ${before}`;
  const isPurged = sql`
    instance_key IN ${listed} AND instance_key NOT IN (SELECT key FROM ${orchestrationInstances} WHERE key IN ${listed})`;
  await db.batch([
    db
      .update(orchestrationOccurrences)
      .set(EXPIRED)
      .where(
        sql`instance_id IN (SELECT id FROM ${orchestrationInstances} WHERE ${isEnded}) AND state = 'done'`,
      ),
    db.delete(orchestrationInstances).where(isEnded),
    db.delete(orchestrationStages).where(isPurged),
    db.delete(orchestrationActivities).where(isPurged),
    db.delete(orchestrationMoments).where(isPurged),
  ]);
}
