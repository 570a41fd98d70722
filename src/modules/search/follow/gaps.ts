import { and, asc, eq, sql } from "drizzle-orm";
import { SEARCH_SWEEP } from "#modules/search/sweep-names.ts";
import { searchGaps } from "#modules/search/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

export type Gap = typeof searchGaps.$inferSelect;

/** Most gaps that one sweep repairs, and that operators see. */
const GAPS_MAX = 100;
/** How long after a failure the sweep tries again, in milliseconds. */
const RETRY_MS = 15_000;

type GapContext = Pick<ServiceContext, "env" | "clock">;

/** Notes that the index has not got events of an origin. The gap keeps the date at which it began. */
export async function noteGap(
  { env, clock }: GapContext,
  { origin, ledger, reason }: Pick<Gap, "origin" | "ledger" | "reason">,
): Promise<void> {
  const since = clock();
  await databaseOf(env)
    .insert(searchGaps)
    .values({ origin, ledger, since, reason, revision: 1 })
    .onConflictDoUpdate({
      target: searchGaps.origin,
      set: { reason, revision: sql`${searchGaps.revision} + 1` },
    });
  await armClock(env, SEARCH_SWEEP, toMillis(since) + RETRY_MS);
}

/** The gaps, the oldest first. */
export const listGaps = ({ env }: Pick<ServiceContext, "env">): Promise<Gap[]> =>
  databaseOf(env)
    .select()
    .from(searchGaps)
    .orderBy(asc(searchGaps.since), asc(searchGaps.origin))
    .limit(GAPS_MAX);

/** Forgets a gap that was repaired, unless it was noted again meanwhile. */
export async function closeGap(
  { env }: Pick<ServiceContext, "env">,
  { origin, revision }: Gap,
): Promise<void> {
  await databaseOf(env)
    .delete(searchGaps)
    .where(and(eq(searchGaps.origin, origin), eq(searchGaps.revision, revision)));
}
