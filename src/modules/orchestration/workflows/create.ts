import { orchestrationWorkflows } from "./tables.ts";
import { toWorkflow, type Workflow } from "./workflow.ts";
import type { WorkflowConfig } from "#modules/orchestration/core/config.ts";
import { present } from "#platform/assert.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";

/** Stores a workflow with a configuration that `readConfig` has read. */
export async function createWorkflow(
  context: ServiceContext,
  config: WorkflowConfig,
): Promise<Workflow> {
  const id = newId();
  const change = new AuditedChange(context, {
    action: "orchestration.workflow.create",
    object: `workflows/${id}`,
  });
  const [row] = await change.store(
    databaseOf(context.env)
      .insert(orchestrationWorkflows)
      .values({
        id,
        config: stringifyJson(config),
        ledgers: stringifyJson(context.principal.ledgers),
        createdAt: context.clock(),
      })
      .returning(),
  );
  return toWorkflow(present(row, "an insertion gives its row"));
}
