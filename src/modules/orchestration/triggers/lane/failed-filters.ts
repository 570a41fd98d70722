import { sql } from "drizzle-orm";
import type { FailedFilter } from "./evaluate.ts";
import { triggerEvent } from "#modules/orchestration/triggers/event-types.ts";
import { eventKey, eventText } from "#modules/orchestration/triggers/occurrences.ts";
import { orchestrationOccurrences } from "#modules/orchestration/triggers/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { guardParts } from "#platform/db/guarded-rows.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { newId } from "#platform/ids.ts";

/** Longest error that is stored, in characters. */
const ERROR_LENGTH_MAX = 2000;

/**
 * Stores failures of filters as occurrences that started nothing, each with its event. A trigger and an event have one such occurrence at
 * most.
 */
export async function storeFailedFilters(
  context: Pick<ServiceContext, "env" | "clock">,
  failed: readonly FailedFilter[],
): Promise<void> {
  if (failed.length === 0) return;
  const date = context.clock();
  const db = databaseOf(context.env);
  const rows = failed.map(({ filter: { trigger }, event, error }) => ({
    id: newId(),
    trigger,
    event,
    error: `filter: ${error}`.slice(0, ERROR_LENGTH_MAX).toWellFormed(),
  }));
  await Outbox.from(context).publish({
    change: rows.map(({ id, trigger, event, error }) =>
      db
        .insert(orchestrationOccurrences)
        .values({
          id,
          triggerKey: trigger.key,
          dedupKey: eventKey(event),
          date,
          event: eventText(event),
          state: "done",
          attempts: 0,
          dueAt: null,
          leaseUntil: null,
          instanceId: null,
          error,
          causationDepth: event.causationDepth ?? 0,
          cause: event.cause ?? null,
        })
        .onConflictDoNothing(),
    ),
    events: rows.map(({ id, trigger, error }) => ({
      ...triggerEvent({ id, triggerId: trigger.id, date }, { kind: "failed", error }),
      guard: { id },
    })),
    condition: sql`EXISTS (SELECT 1 FROM ${orchestrationOccurrences} WHERE id = ${guardParts("id").id})`,
  });
}
