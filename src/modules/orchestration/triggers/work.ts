import { sql } from "drizzle-orm";
import { ownerErrorOf } from "./firing/owners.ts";
import type { LaneFigures } from "./lane/lane-object.ts";
import { triggerFigures } from "./lane/lanes.ts";
import { getTrigger } from "./store.ts";
import { orchestrationOccurrences } from "./tables.ts";
import type { Trigger, TriggerStop } from "./trigger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/** How the work of a trigger stands. */
export interface TriggerWork {
  readonly figures: LaneFigures;
  /** Occurrences that are still to be fired, as far as they are counted. */
  readonly pending: number;
  /** Why it starts nothing, whatever the event is; absent where it may. */
  readonly ownerError?: string;
  /** Absent for one that fires. */
  readonly stop?: TriggerStop & {
    /** Events that it would have fired for from that occurrence on, as far as they are counted. */
    readonly missed: number;
  };
}

/** Most occurrences that are counted. */
export const COUNTED_MAX = 1000;

/** Throws `NOT_FOUND`. */
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

/** The occurrences that started nothing since a trigger was stopped, the one at which it was stopped included. */
async function missedSince(
  { env }: ServiceContext,
  { key }: Trigger,
  { since, occurrenceId }: TriggerStop,
): Promise<number> {
  // The occurrence itself is older than the stop.
  const first = sql`coalesce((SELECT date FROM ${orchestrationOccurrences} WHERE id = ${occurrenceId}), ${since})`;
  // By the index of those that have failed, in which a trigger that fires often has no more than others.
  const row = await databaseOf(env).get<{ count: number }>(sql`
    SELECT count(*) AS count FROM (
      SELECT 1 FROM ${orchestrationOccurrences}
      WHERE state = 'done' AND instance_id IS NULL AND date >= ${first} AND +trigger_key = ${key}
      LIMIT ${COUNTED_MAX})`);
  return row.count;
}
