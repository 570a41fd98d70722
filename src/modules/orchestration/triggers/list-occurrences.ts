import { and, eq } from "drizzle-orm";
import { eventOf, type Occurrence } from "./occurrence.ts";
import { isTriggerVisible } from "./store.ts";
import { orchestrationOccurrences, orchestrationTriggers } from "./tables.ts";
import { toInstance } from "#modules/orchestration/instances/instance.ts";
import { orchestrationInstances } from "#modules/orchestration/instances/tables.ts";
import { orchestrationWorkflows } from "#modules/orchestration/workflows/tables.ts";
import { toWorkflow } from "#modules/orchestration/workflows/workflow.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage, type RowScan } from "#platform/db/list.ts";
import { AppError } from "#platform/errors.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

const OCCURRENCES: ListTable<Occurrence> = {
  keys: { trigger: { type: "text", column: orchestrationTriggers.id } },
  sort: {
    key: {
      type: "integer",
      column: orchestrationOccurrences.key,
      keyOf: ({ key }) => ({ value: BigInt(key) }),
    },
  },
};

/**
 * Throws `NOT_FOUND` unless a trigger exists or was deleted, and the principal may see it. The occurrences of a deleted trigger stay
 * readable.
 */
export async function assertTriggerKnown(
  context: Pick<ServiceContext, "env" | "principal">,
  id: string,
): Promise<void> {
  const [trigger] = await databaseOf(context.env)
    .select({ key: orchestrationTriggers.key })
    .from(orchestrationTriggers)
    .where(and(eq(orchestrationTriggers.id, id), isTriggerVisible(context.principal)));
  if (trigger === undefined) throw new AppError("NOT_FOUND", "Trigger not found");
}

/** A page of occurrences. The query filters by `trigger`. */
export const listOccurrences = (
  context: Pick<ServiceContext, "env" | "principal">,
  query: PageQuery,
): Promise<Page<Occurrence>> =>
  listPage(query, { ...OCCURRENCES, read: (scan) => readOccurrences(context, scan) });

/** Reads occurrences that have ended. */
async function readOccurrences(
  { env, principal }: Pick<ServiceContext, "env" | "principal">,
  { where, orderBy, limit, offset }: RowScan,
): Promise<Occurrence[]> {
  const rows = await databaseOf(env)
    .select()
    .from(orchestrationOccurrences)
    .innerJoin(
      orchestrationTriggers,
      eq(orchestrationTriggers.key, orchestrationOccurrences.triggerKey),
    )
    .leftJoin(
      orchestrationInstances,
      eq(orchestrationInstances.id, orchestrationOccurrences.instanceId),
    )
    .leftJoin(
      orchestrationWorkflows,
      eq(orchestrationWorkflows.key, orchestrationInstances.workflowKey),
    )
    .where(and(eq(orchestrationOccurrences.state, "done"), isTriggerVisible(principal), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return rows.map((row) => {
    const { key, id, date, error } = row.orchestration_occurrences;
    const [instance, workflow] = [row.orchestration_instances, row.orchestration_workflows];
    const hasInstance = instance !== null && workflow !== null;
    return {
      key,
      id,
      triggerId: row.orchestration_triggers.id,
      date,
      event: eventOf(row.orchestration_occurrences),
      ...(hasInstance ? { instance: toInstance(instance, toWorkflow(workflow)) } : {}),
      ...(error === null ? {} : { error }),
    };
  });
}
