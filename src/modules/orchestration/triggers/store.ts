import { and, asc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { orchestrationTriggers } from "./tables.ts";
import { toTrigger, type Trigger } from "./trigger.ts";
import { orchestrationWorkflows } from "#modules/orchestration/workflows/tables.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { whereBindingCovered } from "#platform/db/ledger-scope.ts";
import type { RowScan } from "#platform/db/list.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

/**
 * The statement that reads triggers with the ids of their workflows. The id has an alias, because columns of a batch need names of their
 * own.
 */
export const triggerRows = (db: Database) =>
  db
    .select({
      trigger: orchestrationTriggers,
      workflowId: sql<string>`${orchestrationWorkflows.id}`.as("workflow_id"),
    })
    .from(orchestrationTriggers)
    .innerJoin(
      orchestrationWorkflows,
      eq(orchestrationWorkflows.key, orchestrationTriggers.workflowKey),
    );

/** Triggers, whether they are deleted or not. */
export async function readTriggers(
  { env }: Pick<ServiceContext, "env">,
  { where, orderBy, limit = -1, offset = 0 }: Partial<RowScan> & { where: SQL | undefined },
): Promise<Trigger[]> {
  const rows = await triggerRows(databaseOf(env))
    .where(where)
    .orderBy(...(orderBy ?? [asc(orchestrationTriggers.key)]))
    .limit(limit)
    .offset(offset);
  return rows.map(toTrigger);
}

export const isListed = isNull(orchestrationTriggers.deletedAt);

/**
 * SQL condition that holds for triggers that a principal may see. A principal that is bound to ledgers sees what was created under the same
 * binding or a narrower one.
 */
export const isTriggerVisible = ({ ledgers }: Principal): SQL | undefined =>
  whereBindingCovered(sql`${orchestrationTriggers.principal} -> '$.ledgers'`, ledgers);

/** A trigger that is not deleted. Throws `NOT_FOUND`. */
export async function getTrigger(
  context: Pick<ServiceContext, "env" | "principal">,
  id: string,
): Promise<Trigger> {
  const [trigger] = await readTriggers(context, {
    where: and(eq(orchestrationTriggers.id, id), isListed, isTriggerVisible(context.principal)),
  });
  if (trigger === undefined) throw new AppError("NOT_FOUND", "Trigger not found");
  return trigger;
}

/** Triggers by their keys, whether they are deleted or not. */
export const triggersByKey = (
  context: Pick<ServiceContext, "env">,
  keys: readonly number[],
): Promise<Trigger[]> =>
  readTriggers(context, {
    where: inArray(
      orchestrationTriggers.key,
      sql`(SELECT value FROM json_each(${stringifyJson([...new Set(keys)])}))`,
    ),
  });
