import { and, eq } from "drizzle-orm";
import { orchestrationWorkflows } from "./tables.ts";
import { isWorkflowVisible } from "./visible.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

/**
 * Deletes a workflow. Lists leave out the workflow and its instances, and no new trigger may start it. Its instances go on, and its
 * triggers still start it. Throws `NOT_FOUND`.
 */
export async function deleteWorkflow(context: ServiceContext, id: string): Promise<void> {
  const change = new AuditedChange(context, {
    action: "orchestration.workflow.delete",
    object: `workflows/${id}`,
  });
  const deleted = await change.store(
    databaseOf(context.env)
      .update(orchestrationWorkflows)
      .set({ deletedAt: context.clock() })
      .where(and(eq(orchestrationWorkflows.id, id), isWorkflowVisible(context.principal)))
      .returning({ key: orchestrationWorkflows.key }),
  );
  if (deleted.length === 0) throw new AppError("NOT_FOUND", "Workflow not found");
}
