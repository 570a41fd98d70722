import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { type FlowInstance, toInstance } from "./instance.ts";
import { isInstanceVisible } from "./store.ts";
import { orchestrationInstances } from "./tables.ts";
import { orchestrationWorkflows } from "#modules/orchestration/workflows/tables.ts";
import { toWorkflow } from "#modules/orchestration/workflows/workflow.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage, type RowScan } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

const INSTANCES: ListTable<FlowInstance> = {
  keys: {
    workflow: { type: "text", column: orchestrationWorkflows.id },
    running: {
      type: "custom",
      matches: () => isNull(orchestrationInstances.terminatedAt),
    },
    state: { type: "custom", matches: isInState },
  },
  sort: {
    key: {
      type: "integer",
      column: orchestrationInstances.key,
      keyOf: ({ key }) => ({ value: BigInt(key) }),
    },
  },
};

/** The row of an instance that has succeeded has no state; see `orchestrationInstances`. */
function isInState(state: string): SQL {
  const { state: column } = orchestrationInstances;
  return state === "succeeded" ? sql`${column} IS NULL` : sql`${column} = ${state}`;
}

/** A page of the instances whose workflows are not deleted. The query may filter by `workflow`, `running` and `state`. */
export const listInstances = (
  context: Pick<ServiceContext, "env" | "principal">,
  query: PageQuery,
): Promise<Page<FlowInstance>> =>
  listPage(query, { ...INSTANCES, read: (scan) => readInstances(context, scan) });

async function readInstances(
  { env, principal }: Pick<ServiceContext, "env" | "principal">,
  { where, orderBy, limit, offset }: RowScan,
): Promise<FlowInstance[]> {
  const rows = await databaseOf(env)
    .select()
    .from(orchestrationInstances)
    .innerJoin(
      orchestrationWorkflows,
      eq(orchestrationWorkflows.key, orchestrationInstances.workflowKey),
    )
    .where(and(isNull(orchestrationWorkflows.deletedAt), isInstanceVisible(principal), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return rows.map((row) =>
    toInstance(row.orchestration_instances, toWorkflow(row.orchestration_workflows)),
  );
}
