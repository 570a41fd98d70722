import { sql } from "drizzle-orm";
import { ownerErrorOf } from "./firing/owners.ts";
import type { LaneFigures } from "./lane/lane-object.ts";
import { triggerFigures } from "./lane/lanes.ts";
import { getTrigger } from "./store.ts";
import { orchestrationOccurrences } from "./tables.ts";
import type { Trigger, TriggerStop } from "./trigger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

export interface TriggerWork {
  readonly figures: LaneFigures;
  /** The number of occurrences that are still to be fired, at most `COUNTED_MAX`. */
  readonly pending: number;
  /** Why the trigger starts nothing, whatever the event is; absent where its owner may start instances. */
  readonly ownerError?: string;
  /** Absent for a trigger that fires. */
  readonly stop?: TriggerStop & {
    /** The number of occurrences that started nothing since the stop, at most `COUNTED_MAX`. */
    readonly missed: number;
  };
}

/** Largest number of occurrences that is counted. */
export const COUNTED_MAX = 1000;

/** Reads the figures of a trigger. Throws `NOT_FOUND`. */
export async function triggerWork(context: ServiceContext, id: string): Promise<TriggerWork> {
  const trigger = await getTrigger(context, id);
  const { stop } = trigger;
  const [figures, pending, ownerError, missed] = await Promise.all([
    triggerFigures(context.env, trigger),
    pendingOf(context, trigger),
    ownerErrorOf(context, trigger),
    stop === undefined ? 0 : missedSince(context, trigger, stop),
  ]);
  return {
    figures,
    pending,
    ...(ownerError === undefined ? {} : { ownerError }),
    ...(stop === undefined ? {} : { stop: { ...stop, missed } }),
  };
}

async function pendingOf({ env }: ServiceContext, { key }: Trigger): Promise<number> {
  const row = await databaseOf(env).get<{ count: number }>(sql`
    SELECT count(*) AS count FROM (
      SELECT 1 FROM ${orchestrationOccurrences}
      WHERE trigger_key = ${key} AND state IN ('filter', 'fire') LIMIT ${COUNTED_MAX})`);
  return row.count;
}

/** The number of occurrences that started nothing since a trigger was stopped, with the one that has stopped it. */
async function missedSince(
  { env }: ServiceContext,
  { key }: Trigger,
  { since, occurrenceId }: TriggerStop,
): Promise<number> {
  // The occurrence that has stopped the trigger is older than the stop.
  const first = sql`coalesce((SELECT date FROM ${orchestrationOccurrences} WHERE id = ${occurrenceId}), ${since})`;
  // `+` makes SQLite use the index of failed occurrences, of which a busy trigger has no more than others.
  const row = await databaseOf(env).get<{ count: number }>(sql`
    SELECT count(*) AS count FROM (
      SELECT 1 FROM ${orchestrationOccurrences}
      WHERE state = 'done' AND instance_id IS NULL AND date >= ${first} AND +trigger_key = ${key}
      LIMIT ${COUNTED_MAX})`);
  return row.count;
}
