import type { orchestrationWorkflows } from "./tables.ts";
import type { WorkflowConfig } from "#modules/orchestration/core/config.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface Workflow {
  readonly key: number;
  readonly id: string;
  readonly config: WorkflowConfig;
  readonly createdAt: Timestamp;
  readonly deletedAt?: Timestamp;
}

/** A workflow from its row. The type of the configuration is known, because it was read before it was stored. */
export const toWorkflow = ({
  key,
  id,
  config,
  createdAt,
  deletedAt,
}: typeof orchestrationWorkflows.$inferSelect): Workflow => ({
  key,
  id,
  config: parseJson(config) as WorkflowConfig,
  createdAt,
  ...(deletedAt === null ? {} : { deletedAt }),
});
