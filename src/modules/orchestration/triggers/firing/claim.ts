import { and, gt, inArray, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { triggerRows } from "#modules/orchestration/triggers/store.ts";
import {
  orchestrationOccurrences,
  orchestrationTriggers,
} from "#modules/orchestration/triggers/tables.ts";
import { toTrigger, type Trigger } from "#modules/orchestration/triggers/trigger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** How long an attempt has an occurrence to itself, in milliseconds: longer than the firing takes, links included. */
const LEASE_MS = 60_000;

export type OccurrenceRow = typeof orchestrationOccurrences.$inferSelect;

/** An occurrence that the caller has leased. The lease holds as long as the row has the same number of attempts. */
export interface ClaimedOccurrence {
  /** The row as it is stored: a filter that lets the event through changes it, and whoever defers the occurrence afterwards asks by its new id. */
  row: OccurrenceRow;
  readonly trigger: Trigger;
}

/** Leases occurrences. Occurrences that are done, or leased by another attempt, are left out. */
export async function claimOccurrences(
  { env, clock }: ServiceContext,
  ids: readonly string[],
): Promise<ClaimedOccurrence[]> {
  const now = clock();
  const leaseUntil = fromMillis(toMillis(now) + LEASE_MS);
  const { id, attempts, dueAt, leaseUntil: lease, triggerKey } = orchestrationOccurrences;
  const isWanted = inArray(id, sql`(SELECT value FROM json_each(${stringifyJson(ids)}))`);
  // A lease that ends far later than a new one would was taken before the clock stepped back.
  const farUntil = fromMillis(toMillis(now) + 2 * LEASE_MS);
  const isFree = or(isNull(lease), lte(lease, now), gt(lease, farUntil));
  const db = databaseOf(env);
  const [rows, triggerList] = await db.batch([
    db
      .update(orchestrationOccurrences)
      .set({ dueAt: leaseUntil, leaseUntil, attempts: sql`${attempts} + 1` })
      .where(and(isWanted, isNotNull(dueAt), isFree))
      .returning(),
    triggerRows(db).where(
      inArray(
        orchestrationTriggers.key,
        db.select({ triggerKey }).from(orchestrationOccurrences).where(isWanted),
      ),
    ),
  ]);
  const triggers = new Map(triggerList.map((row) => [row.trigger.key, toTrigger(row)]));
  return rows.flatMap((row) => {
    const trigger = triggers.get(row.triggerKey);
    return trigger === undefined ? [] : [{ row, trigger }];
  });
}
