import { and, isNull } from "drizzle-orm";
import { orchestrationWorkflows } from "./tables.ts";
import { isWorkflowVisible } from "./visible.ts";
import { toWorkflow, type Workflow } from "./workflow.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

const WORKFLOWS: ListTable<Workflow> = {
  sort: {
    key: {
      type: "integer",
      column: orchestrationWorkflows.key,
      keyOf: ({ key }) => ({ value: BigInt(key) }),
    },
  },
};

/** A page of the workflows that are not deleted. */
export function listWorkflows(
  { env, principal }: Pick<ServiceContext, "env" | "principal">,
  query: PageQuery,
): Promise<Page<Workflow>> {
  const db = databaseOf(env);
  return listPage(query, {
    ...WORKFLOWS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await db
        .select()
        .from(orchestrationWorkflows)
        .where(and(isNull(orchestrationWorkflows.deletedAt), isWorkflowVisible(principal), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toWorkflow);
    },
  });
}
