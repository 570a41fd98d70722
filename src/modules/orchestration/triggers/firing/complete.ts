import { and, eq, sql } from "drizzle-orm";
import type { ClaimedOccurrence, OccurrenceRow } from "./claim.ts";
import { stopEvents, stopStatements } from "./loops.ts";
import { OCCURRENCES_SWEEP } from "#modules/orchestration/sweep-names.ts";
import {
  type FiringResult,
  type OccurrenceGuard,
  STOPS,
  triggerEvent,
} from "#modules/orchestration/triggers/event-types.ts";
import { LinkError } from "#modules/orchestration/triggers/link-reader.ts";
import {
  orchestrationOccurrences,
  orchestrationTriggers,
} from "#modules/orchestration/triggers/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { guardParts } from "#platform/db/guarded-rows.ts";
import { jsonRows } from "#platform/db/json-rows.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { log } from "#platform/log.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** Wait after a failed attempt, in milliseconds, and most attempts for an occurrence whose links fail. */
const BACKOFF = doubling(1000, 100_000);
const LINK_ATTEMPTS_MAX = 12;
/** Longest error that is stored, in characters. */
const ERROR_LENGTH_MAX = 2000;

export interface FiredOccurrence extends ClaimedOccurrence {
  readonly result: FiringResult;
}

/**
 * Stores the results of occurrences, with their events. An occurrence that another attempt has leased meanwhile is left to this attempt.
 */
export async function completeOccurrences(
  context: ServiceContext,
  fired: readonly FiredOccurrence[],
): Promise<void> {
  if (fired.length === 0) return;
  const ended = fired.map(({ row, trigger, result }) => ({
    guard: { occurrenceId: row.id, attempts: row.attempts } satisfies OccurrenceGuard,
    origin: { id: row.id, triggerId: trigger.id, date: context.clock() },
    result: result.kind === "failed" ? { ...result, error: shortened(result.error) } : result,
  }));
  const { source, items } = jsonRows(
    ended.map(({ guard, result }) => ({
      ...guard,
      instanceId: result.kind === "started" ? result.instanceId : null,
      error: result.kind === "failed" ? result.error : null,
    })),
  );
  const stopping = fired.filter(({ result }) => result.kind === "failed" && result.stops);
  const change = databaseOf(context.env)
    .update(orchestrationOccurrences)
    .set({
      state: "done",
      dueAt: null,
      leaseUntil: null,
      instanceId: items.instanceId,
      error: items.error,
    })
    .from(source)
    .where(
      sql`id = ${items.occurrenceId} AND attempts = ${items.attempts} AND state IN ('filter', 'fire')`,
    );
  await Outbox.from(context).publish({
    change: [change, ...stopStatements(context, stopping)],
    events: [
      ...ended.map(({ guard, origin, result }) => ({ ...triggerEvent(origin, result), guard })),
      ...stopEvents(context, stopping),
    ],
    condition: sql`CASE ${GUARD.attempts} WHEN ${STOPS} THEN ${IS_STOPPED} ELSE ${IS_SETTLED} END`,
  });
}

const shortened = (error: string): string => error.slice(0, ERROR_LENGTH_MAX).toWellFormed();

const GUARD = guardParts<keyof OccurrenceGuard>("occurrenceId", "attempts");

/** SQL condition that holds if an attempt has settled its occurrence: the occurrence is done, and its last attempt has this number. */
const IS_SETTLED = sql`EXISTS (
  SELECT 1 FROM ${orchestrationOccurrences}
  WHERE id = ${GUARD.occurrenceId} AND attempts = ${GUARD.attempts} AND state = 'done')`;

/** SQL condition that holds if an occurrence has stopped its trigger, which keeps the id of the first occurrence that did. */
const IS_STOPPED = sql`EXISTS (
  SELECT 1 FROM ${orchestrationTriggers} WHERE stopped_by = ${GUARD.occurrenceId})`;

interface Failure extends ClaimedOccurrence {
  readonly error: unknown;
}

/** Puts an occurrence off for another attempt. An occurrence whose links fail `LINK_ATTEMPTS_MAX` times fails for good. */
export async function postponeOccurrence(
  context: ServiceContext,
  { trigger, row, error }: Failure,
): Promise<void> {
  if (error instanceof LinkError && row.attempts >= LINK_ATTEMPTS_MAX) {
    const result = { kind: "failed", error: error.message } as const;
    await completeOccurrences(context, [{ trigger, row, result }]);
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  log("warn", "an occurrence could not be fired; it is tried again", {
    occurrence: row.id,
    trigger: trigger.id,
    attempts: row.attempts,
    error: message.slice(0, 500),
  });
  await retryAt(context, row, waitAfterFailures(BACKOFF, row.attempts));
}

async function retryAt(
  { env, clock }: ServiceContext,
  { id, attempts }: OccurrenceRow,
  waitMs: number,
): Promise<void> {
  const next: Timestamp = fromMillis(toMillis(clock()) + waitMs);
  await databaseOf(env)
    .update(orchestrationOccurrences)
    .set({ dueAt: next, leaseUntil: null })
    .where(
      and(eq(orchestrationOccurrences.id, id), eq(orchestrationOccurrences.attempts, attempts)),
    );
  await armClock(env, OCCURRENCES_SWEEP, toMillis(next));
}
