import { sql } from "drizzle-orm";
import { orchestrationInstances } from "./tables.ts";
import { IS_STORED, rowStatements } from "./transition-rows.ts";
import type { InstanceTransition } from "./transition.ts";
import { watchInstances } from "./watch.ts";
import { armAuditSweep, auditEntries } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnOf, guardOf, packRows } from "#platform/db/guarded-rows.ts";
import { Outbox } from "#platform/events/outbox.ts";

type InstanceRow = typeof orchestrationInstances.$inferSelect;

/** Columns of a new instance that its first transition does not give. */
export type NewInstanceRow = Pick<
  InstanceRow,
  "id" | "workflowKey" | "variables" | "principal" | "causationDepth"
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
  const inserts = packRows(changes.map(toRow)).map((pack) =>
    db.insert(orchestrationInstances).select(INSERTED(pack)).onConflictDoNothing().returning(),
  );
  const entries = auditEntries(
    context,
    changes.map(({ context: acting, row: { id }, transition }) => ({
      context: acting,
      action: "orchestration.instance.start",
      object: `instances/${id}`,
      guard: [id, transition.changeId],
    })),
    IS_STORED,
  );
  const rows = rowStatements(db, {
    stages: added.flatMap(({ stages }) => stages),
    moments: added.flatMap(({ moments }) => moments),
  });
  await watchInstances(context);
  const results = await Outbox.from(context).publish({
    change: [...inserts, ...entries, ...rows],
    events: added.flatMap(({ events }) => events),
    condition: IS_STORED,
  });
  await armAuditSweep(context);
  return results.slice(0, inserts.length).flat() as InstanceRow[]; // the insertions come first and return rows
}

/** Selects the rows of a pack, with their columns in the order of the table. */
const INSERTED = (pack: string) => sql`
  SELECT NULL, ${guardOf(0)}, ${columnOf(0)}, ${columnOf(1)}, ${columnOf(2)}, ${columnOf(3)}, ${columnOf(3)},
    ${columnOf(4)}, ${columnOf(5)}, ${columnOf(6)}, 1, 1, ${columnOf(7)}, ${guardOf(1)}, ${columnOf(8)}, NULL, ${columnOf(9)}
  FROM json_each(${pack}) AS e WHERE true ORDER BY e.key`;

function toRow({ row, transition }: NewInstanceChange) {
  const { id, workflowKey, variables, principal, causationDepth } = row;
  const { terminatedAt = null, error = null, stage = 0 } = transition.columns;
  const { dueAt = null, state = null } = transition.columns;
  return {
    guard: [id, transition.changeId],
    columns: [
      workflowKey,
      variables,
      principal,
      transition.now,
      terminatedAt,
      error?.toWellFormed() ?? null,
      stage,
      dueAt,
      state,
      causationDepth,
    ],
  };
}
