import { and, eq, inArray, sql } from "drizzle-orm";
import { orchestrationWorkflows } from "./tables.ts";
import { isWorkflowVisible } from "./visible.ts";
import { toWorkflow, type Workflow } from "./workflow.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

/** A workflow, also a deleted one. Throws `NOT_FOUND`. */
export async function getWorkflow(
  { env, principal }: Pick<ServiceContext, "env" | "principal">,
  id: string,
): Promise<Workflow> {
  const [row] = await databaseOf(env)
    .select()
    .from(orchestrationWorkflows)
    .where(and(eq(orchestrationWorkflows.id, id), isWorkflowVisible(principal)));
  if (row === undefined) throw new AppError("NOT_FOUND", "Workflow not found");
  return toWorkflow(row);
}

/** Workflows by their ids, also deleted ones. */
export async function workflowsById(
  { env }: Pick<ServiceContext, "env">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Workflow>> {
  const listed = sql`(SELECT value FROM json_each(${stringifyJson([...new Set(ids)])}))`;
  const rows = await databaseOf(env)
    .select()
    .from(orchestrationWorkflows)
    .where(inArray(orchestrationWorkflows.id, listed));
  return new Map(rows.map((row) => [row.id, toWorkflow(row)]));
}
