import { sql } from "drizzle-orm";
import { orchestrationInstances } from "./tables.ts";
import { IS_STORED, rowStatements, type TransitionGuard } from "./transition-rows.ts";
import type { InstanceTransition } from "./transition.ts";
import { watchInstances } from "./watch.ts";
import { armAuditSweep, auditEntries } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { columnValues, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { Outbox } from "#platform/events/outbox.ts";

type InstanceRow = typeof orchestrationInstances.$inferSelect;

/** Columns of a new instance that its first transition does not give. */
export type NewInstanceRow = Pick<
  InstanceRow,
  "id" | "workflowKey" | "variables" | "principal" | "causationDepth" | "cause"
>;

export interface NewInstanceChange {
  /** Names the principal that starts the instance. */
  readonly context: ServiceContext;
  readonly row: NewInstanceRow;
  readonly transition: InstanceTransition;
}

/**
 * Stores new instances with everything that their first transitions add, in one batch. An instance whose id exists already is not stored.
 * Returns the rows that were stored.
 */
export async function insertInstances(
  context: ServiceContext,
  changes: readonly NewInstanceChange[],
): Promise<InstanceRow[]> {
  const db = databaseOf(context.env);
  const added = changes.map(({ transition }) => transition.added);
  const entries = auditEntries(
    context,
    changes.map(({ context: acting, row: { id }, transition }) => ({
      context: acting,
      action: "orchestration.instance.start",
      object: `instances/${id}`,
      guard: { instanceId: id, changeId: transition.changeId } satisfies TransitionGuard,
    })),
    IS_STORED,
  );
  const rows = rowStatements(db, {
    stages: added.flatMap(({ stages }) => stages),
    moments: added.flatMap(({ moments }) => moments),
  });
  await watchInstances(context);
  const [inserted] = await Outbox.from(context).publish({
    change: [insertRows(db, changes), entries, ...rows],
    events: added.flatMap(({ events }) => events),
    condition: IS_STORED,
  });
  await armAuditSweep(context);
  return inserted;
}

/** The statement that stores the rows of new instances and returns those that are stored. */
function insertRows(db: Database, changes: readonly NewInstanceChange[]) {
  const { source, items } = jsonRows(changes.map(toRow));
  return db
    .insert(orchestrationInstances)
    .select(
      sql`SELECT ${columnValues(orchestrationInstances, { ...items, key: null, hold: null })}
        FROM ${source} WHERE true ORDER BY ${ROW_ORDER}`,
    )
    .onConflictDoNothing()
    .returning();
}

function toRow({ row, transition }: NewInstanceChange) {
  const { terminatedAt = null, error = null, stage = 0 } = transition.columns;
  const { dueAt = null, state = null } = transition.columns;
  return {
    ...row,
    createdAt: transition.now,
    updatedAt: transition.now,
    terminatedAt,
    error: error?.toWellFormed() ?? null,
    stage,
    run: 1,
    round: 1,
    dueAt,
    changeId: transition.changeId,
    state,
  };
}
