import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { orchestrationInstances, orchestrationMoments, orchestrationStages } from "./tables.ts";
import type { Database } from "#platform/db/database.ts";
import { type GuardedRow, guardedRows, guardParts } from "#platform/db/guarded-rows.ts";
import { columnValues, ROW_ORDER } from "#platform/db/json-rows.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";

/** The guard of the rows of a transition: its instance, and the `changeId` that the instance has once the transition is stored. */
export type TransitionGuard = Readonly<Record<"instanceId" | "changeId", string>>;

type StageColumns = Omit<typeof orchestrationStages.$inferSelect, "instanceKey">;
type MomentColumns = Omit<typeof orchestrationMoments.$inferSelect, "key" | "instanceKey">;

/** Rows and events that a transition adds besides its own statements. Each row has the guard of the transition. */
export interface AddedRows {
  readonly stages: readonly GuardedRow<StageColumns>[];
  readonly moments: readonly GuardedRow<MomentColumns>[];
  readonly events: readonly OutboxEvent[];
}

const GUARD = guardParts<keyof TransitionGuard>("instanceId", "changeId");

/** SQL condition that holds for a row `r` whose transition was stored. */
export const IS_STORED: SQL = sql`EXISTS (
  SELECT 1 FROM ${orchestrationInstances} WHERE id = ${GUARD.instanceId} AND change_id = ${GUARD.changeId})`;

/** SQL join of a row `r` with its instance, if the transition was stored. The row comes first, so that the instance is found by its id. */
const STORED_INSTANCE: SQL = sql`
  CROSS JOIN ${orchestrationInstances} AS i ON i.id = ${GUARD.instanceId} AND i.change_id = ${GUARD.changeId}`;

/** The statements that add stages and moments, for the batch that stores the transitions. */
export const rowStatements = (
  db: Database,
  { stages, moments }: Pick<AddedRows, "stages" | "moments">,
): BatchItem<"sqlite">[] => [
  ...(stages.length === 0 ? [] : [insertStages(db, stages)]),
  ...(moments.length === 0 ? [] : [insertMoments(db, moments)]),
];

function insertStages(db: Database, stages: AddedRows["stages"]) {
  const { source, items } = guardedRows(stages);
  return db.insert(orchestrationStages).select(sql`
    SELECT ${columnValues(orchestrationStages, { ...items, instanceKey: sql`i.key` })}
    FROM ${source} ${STORED_INSTANCE} ORDER BY ${ROW_ORDER}`);
}

function insertMoments(db: Database, moments: AddedRows["moments"]) {
  const { source, items } = guardedRows(moments);
  return db.insert(orchestrationMoments).select(sql`
    SELECT ${columnValues(orchestrationMoments, { ...items, key: null, instanceKey: sql`i.key` })}
    FROM ${source} ${STORED_INSTANCE} ORDER BY ${ROW_ORDER}`);
}
