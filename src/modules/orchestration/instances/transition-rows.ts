import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { orchestrationInstances, orchestrationMoments, orchestrationStages } from "./tables.ts";
import type { Database } from "#platform/db/database.ts";
import { columnsOf, type GuardedRow, guardOf, packRows } from "#platform/db/guarded-rows.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";

/** Rows and events that a transition adds besides its own statements. Each row has the guard of the transition. */
export interface AddedRows {
  readonly stages: readonly GuardedRow[];
  readonly moments: readonly GuardedRow[];
  readonly events: readonly OutboxEvent[];
}

/** SQL condition that holds for a row `e` whose transition was stored. */
export const IS_STORED: SQL = sql`EXISTS (
  SELECT 1 FROM ${orchestrationInstances} WHERE id = ${guardOf(0)} AND change_id = ${guardOf(1)})`;

/** SQL join of a row `e` with its instance, if the transition was stored. The row comes first, so that the instance is found by its id. */
const STORED_INSTANCE: SQL = sql`
  CROSS JOIN ${orchestrationInstances} AS i ON i.id = ${guardOf(0)} AND i.change_id = ${guardOf(1)}`;

/** The statements that add stages and moments, for the batch that stores the transitions. */
export const rowStatements = (
  db: Database,
  { stages, moments }: Pick<AddedRows, "stages" | "moments">,
): BatchItem<"sqlite">[] => [
  ...packRows(stages).map((pack) =>
    db.insert(orchestrationStages).select(sql`
      SELECT i.key, ${columnsOf(5)} FROM json_each(${pack}) AS e ${STORED_INSTANCE} ORDER BY e.key`),
  ),
  ...packRows(moments).map((pack) =>
    db.insert(orchestrationMoments).select(sql`
      SELECT NULL, i.key, ${columnsOf(4)} FROM json_each(${pack}) AS e ${STORED_INSTANCE} ORDER BY e.key`),
  ),
];
