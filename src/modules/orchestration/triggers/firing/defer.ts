import { sql } from "drizzle-orm";
import type { ClaimedOccurrence } from "./claim.ts";
import { OCCURRENCES_SWEEP } from "#modules/orchestration/sweep-names.ts";
import { readsLinks } from "#modules/orchestration/triggers/expressions.ts";
import { orchestrationOccurrences } from "#modules/orchestration/triggers/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { jsonRows } from "#platform/db/json-rows.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** An occurrence that could not be fired without a fault of its own. */
export interface Deferral {
  readonly claimed: ClaimedOccurrence;
  /** Its owner's budget is used up, or it reads links of other servers and the deployment is disarmed. */
  readonly reason: "budget" | "disarmed";
  /** In how many milliseconds it may be fired. */
  readonly waitMs: number;
}

/** Shortest and longest time for which an occurrence is put off, in milliseconds. */
const WAIT_MS_MIN = 1000;
const WAIT_MS_MAX = 240_000;

/** Puts occurrences off until they may be fired. Waiting counts as no attempt, so that no occurrence fails by waiting. */
export async function deferOccurrences(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  deferrals: readonly Deferral[],
): Promise<void> {
  if (deferrals.length === 0) return;
  const nowMs = toMillis(clock());
  const rows = deferrals.map((deferral) => {
    const { id, attempts } = deferral.claimed.row;
    return { id, attempts, dueAt: fromMillis(nowMs + waitOf(deferral)) };
  });
  const { source, items } = jsonRows(rows);
  await databaseOf(env)
    .update(orchestrationOccurrences)
    .set({ dueAt: items.dueAt, leaseUntil: null, attempts: sql`attempts - 1` })
    .from(source)
    .where(sql`id = ${items.id} AND attempts = ${items.attempts} AND state IN ('filter', 'fire')`);
  await armClock(env, OCCURRENCES_SWEEP, nowMs + Math.min(...deferrals.map(waitOf)));
}

/**
 * How long an occurrence is put off, in milliseconds. Events that a full lane has refused are many, and come after all events of the lane.
 * They wait for the longest time, so that the sweep has time for the occurrences of other owners.
 */
function waitOf({ claimed: { row, trigger }, reason, waitMs }: Deferral): number {
  if (reason === "disarmed") return waitMs;
  const isBehindLane = row.state === "filter" && !readsLinks({ ...trigger, vars: {} });
  return isBehindLane ? WAIT_MS_MAX : Math.min(Math.max(waitMs, WAIT_MS_MIN), WAIT_MS_MAX);
}
