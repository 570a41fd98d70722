import { sql } from "drizzle-orm";
import type { ClaimedOccurrence } from "./claim.ts";
import { orchestrationSettings } from "#modules/orchestration/settings.ts";
import { stoppedEvent } from "#modules/orchestration/triggers/event-types.ts";
import { orchestrationTriggers } from "#modules/orchestration/triggers/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { formatTimestamp } from "#platform/time.ts";

/** Why an occurrence starts nothing, and whether it stops its trigger. */
export interface LoopVerdict {
  readonly error: string;
  readonly stops: boolean;
}

/**
 * Whether an occurrence is part of a loop, in which a trigger starts a workflow that writes what the trigger fires for. An event carries
 * the number of triggers that led to it:
 *
 *     client ─ write ─► event 0 ─► trigger ─► instance 1 ─ write ─► event 1 ─► trigger ─► instance 2 ─ … ─► event 16 ─► stop
 *
 * A stopped trigger starts nothing until it is resumed. Each event that it would have fired for is an occurrence with an error.
 */
export function loopVerdict(
  { env }: Pick<ServiceContext, "env">,
  { row: { causationDepth }, trigger: { stop } }: ClaimedOccurrence,
): LoopVerdict | undefined {
  if (stop !== undefined) {
    const since = formatTimestamp(stop.since);
    const error = `the trigger is stopped since ${since}, because it was part of a loop of triggers: the event starts nothing. Resume the trigger once the loop is mended`;
    return { error, stops: false };
  }
  const { FLORIN_TRIGGER_DEPTH: most } = orchestrationSettings.of(env);
  if (causationDepth < most) return undefined;
  const error = `a loop of triggers: ${causationDepth} triggers, one after the other, led to this event, and FLORIN_TRIGGER_DEPTH allows ${most}. The trigger is stopped until it is resumed`;
  return { error, stops: true };
}

type Stopping = Pick<ClaimedOccurrence, "row" | "trigger">;

/** The statements that stop triggers, for the batch that stores the results of their occurrences. */
export const stopStatements = (
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  stopping: readonly Stopping[],
) =>
  firstOfEach(stopping).map(({ row, trigger }) =>
    databaseOf(env)
      .update(orchestrationTriggers)
      .set({ stoppedAt: clock(), stoppedBy: row.id, stoppedDepth: row.causationDepth })
      .where(sql`key = ${trigger.key} AND stopped_at IS NULL`),
  );

/** The `STOPPED_TRIGGER` events of occurrences, which are published under the condition `IS_STOPPED`. */
export const stopEvents = (
  { clock }: Pick<ServiceContext, "clock">,
  stopping: readonly Stopping[],
): OutboxEvent[] =>
  firstOfEach(stopping).map(({ row, trigger }) =>
    stoppedEvent({
      triggerId: trigger.id,
      occurrenceId: row.id,
      depth: row.causationDepth,
      date: clock(),
    }),
  );

function firstOfEach(stopping: readonly Stopping[]): Stopping[] {
  const byTrigger = Map.groupBy(stopping, ({ trigger }) => trigger.key);
  return [...byTrigger.values()].flatMap((all) => all.slice(0, 1));
}
